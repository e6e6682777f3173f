// Who may talk to the server. It listens on 127.0.0.1, but every web page of every site runs on this machine too, and a
// name that resolves to 127.0.0.1 (DNS rebinding) makes a foreign page look local. So the Host header must be one of our
// own names with our own port, and an Origin, where there is one, must be ours.

const NAMES = ['127.0.0.1', 'localhost'];

// -> null if the request may pass, else the reason. `port`: the one we listen on. `needOrigin`: for a WebSocket, which
// every browser opens with an Origin; without one it is not our page.
export function refusal(headers, port, { needOrigin = false } = {}) {
  const hosts = NAMES.map((name) => `${name}:${port}`).concat(port === 80 ? NAMES : []);
  const { host, origin } = headers;
  if (typeof host !== 'string' || !hosts.includes(host.toLowerCase())) return `Host ${quote(host)} is not this server`;
  if (origin === undefined) {
    if (needOrigin) return 'a connection without Origin is refused';
  } else if (!hosts.some((name) => origin === `http://${name}`)) {
    return `Origin ${quote(origin)} may not use this server`;
  }
  // A foreign page's <img>, <script> or form carries no Origin, but says where it comes from. Following a link is fine.
  const site = headers['sec-fetch-site'];
  if ((site === 'cross-site' || site === 'same-site') && headers['sec-fetch-mode'] !== 'navigate') {
    return 'requests from other sites are refused';
  }
  return null;
}

const quote = (text) => (text === undefined ? '(none)' : JSON.stringify(String(text).slice(0, 100)));
