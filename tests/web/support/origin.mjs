// A foreign origin that the page's `fetch` reaches: JSON pages with CORS, held back, and counted.
import { createServer } from 'node:http';

// -> {url, seen: [paths in order of arrival], most: most at once, close()}
export async function startOrigin(t, { delay = 0 } = {}) {
  const origin = { seen: [], most: 0 };
  let now = 0;
  const server = createServer((request, response) => {
    origin.seen.push(request.url);
    origin.most = Math.max(origin.most, ++now);
    setTimeout(() => {
      now--;
      const missing = request.url.startsWith('/missing');
      response.writeHead(missing ? 404 : 200, { 'content-type': 'text/plain', 'access-control-allow-origin': '*' });
      response.end(missing ? 'no' : `page ${request.url}`);
    }, delay);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin.url = `http://127.0.0.1:${server.address().port}`;
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return origin;
}
