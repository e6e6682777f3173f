// The tools of the page, with their contracts.
//
//   workspace.*    reads of an immutable root: the snapshot that was taken when the run began
//   fetch          reads something that changes (open_read), unless the user declared its origin immutable; each origin is a
//                  resource class
//   sleep          waits, when reached
//   journal.write  an effect: shown on the page, in the order in which it happened

import { ToolError } from './workspace_client.mjs';

// `workspace`: a WorkspaceClient; `root`: name of the snapshot; `onEffect(name, value)`. `immutableOrigins`: origins whose
// answers never change, says the user.
export function makeTools({ workspace, root, onEffect, immutableOrigins = [] }) {
  const read = (op, parameters, shape = (value) => value) => ({
    effect: 'immutable_read',
    root,
    cancellable: true,
    parameters,
    fn: async (args, { signal }) => shape(await workspace.request(op, args, signal)),
  });
  let entries = 0;
  return {
    'workspace.read_text': read('read_text', 'path'),
    'workspace.read_bytes': read('read_bytes', 'path', ({ base64 }) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))),
    'workspace.list': read('list', 'path=""'),
    'workspace.glob': read('glob', 'pattern'),
    'workspace.exists': read('exists', 'path'),
    'workspace.grep': read('grep', 'pattern, glob="**", *, regex=False, ignore_case=False'),

    fetch: {
      effect: 'open_read',
      failure: 'transient',
      origins: {
        parameter: 'url',
        class: 'net ',
        contracts: Object.fromEntries(immutableOrigins.map((origin) => [origin, { effect: 'immutable_read', root: origin }])),
      },
      cancellable: true,
      parameters: 'url',
      fn: fetchText,
    },

    sleep: {
      effect: 'open_read',
      cancellable: true,
      parameters: 'seconds',
      fn: ({ seconds }, { signal }) => sleep(seconds, signal),
    },

    'journal.write': {
      effect: 'external_write',
      parameters: 'text',
      fn: async ({ text }) => {
        if (typeof text !== 'string') throw new ToolError('TypeError', `the text of an entry is a str, not ${text === null ? 'None' : typeof text}`);
        onEffect('journal.write', text);
        return ++entries;
      },
    },
  };
}

// Limits of the resource classes above: as many requests to one origin as browsers send at once.
export const CLASSES = { 'net *': 6 };

const MAX_BODY = 16 << 20;

async function fetchText({ url }, { signal }) {
  if (typeof url !== 'string') throw new ToolError('TypeError', 'the url is a str');
  let address;
  try {
    address = new URL(url, self.location.origin);
  } catch {
    throw new ToolError('ValueError', `not an address: ${url}`);
  }
  if (!/^https?:$/.test(address.protocol)) throw new ToolError('ValueError', `only http and https can be fetched, not ${address.protocol}`);
  let response;
  try {
    response = await fetch(address, { signal, credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' });
  } catch (error) {
    signal.throwIfAborted();
    // The browser does not tell a script more than this.
    throw new ToolError('ConnectionError', `${address.origin} can't be fetched from this page (${error.message}); it must be reachable, allow other origins (CORS), and be named with --connect`);
  }
  if (!response.ok) throw new ToolError('OSError', `HTTP ${response.status} ${response.statusText} for ${address}`.trim());
  const text = await response.text();
  if (text.length > MAX_BODY) throw new ToolError('ValueError', `${address} has more than ${MAX_BODY} characters`);
  return text;
}

function sleep(seconds, signal) {
  if (typeof seconds !== 'number' || !(seconds >= 0)) throw new ToolError('ValueError', 'seconds is a number from 0');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve(null);
    }, seconds * 1000);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
