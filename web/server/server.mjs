// The local server as a function: static page and workspace connection on one port of 127.0.0.1.

import { createServer } from 'node:http';

import { WebSocketServer } from 'ws';

import { Connection, MAX_MESSAGE } from './connection.mjs';
import { refusal } from './guard.mjs';
import { contentSecurityPolicy, serveFile } from './static.mjs';

const MAX_CONNECTIONS = 64;
export const SOCKET_PATH = '/workspace';

// Starts it. Options:
//   site       directory of the built page
//   workspace  directory that the tools read; none: the tools say so
//   port       0: any free one (default)
//   delay      ms before each workspace request is looked at (default 0)
//   connect    origins that the page may reach besides this server (default none)
//   isolated   cross-origin isolate the page, so that Stop can interrupt a computation (default true); the page works
//              without, as on a plain static host
//   skip, limits  see snapshot.mjs and workspace.mjs
// -> { port, url, close() }. Rejects if the port is taken.
export async function startServer({ site, workspace, port = 0, delay = 0, connect = [], isolated = true, skip, limits }) {
  const http = createServer({ maxHeaderSize: 16 << 10, requestTimeout: 30_000 });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false });

  await new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen({ host: '127.0.0.1', port }, resolve);
  });
  const bound = http.address().port;

  const headers = {
    'content-security-policy': contentSecurityPolicy(bound, connect),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    ...(isolated ? { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' } : {}),
  };

  http.on('request', (request, response) => {
    const reason = refusal(request.headers, bound);
    if (reason) {
      response.writeHead(403, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', connection: 'close' });
      return response.end(`${reason}\n`);
    }
    serveFile(request, response, site, headers).catch((error) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500, headers);
      response.end();
    });
  });

  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {});
    const refuse = (status, text) => socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n${text}\n`);
    const reason = refusal(request.headers, bound, { needOrigin: true });
    if (reason) return refuse('403 Forbidden', reason);
    if (request.url !== SOCKET_PATH) return refuse('404 Not Found', 'not found');
    if (sockets.clients.size >= MAX_CONNECTIONS) return refuse('503 Service Unavailable', 'too many connections');
    sockets.handleUpgrade(request, socket, head, (ws) => new Connection(ws, { workspace, delay, skip, limits }));
  });

  return {
    port: bound,
    url: `http://127.0.0.1:${bound}/`,
    async close() {
      for (const client of sockets.clients) client.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
