// Files of the built page. Only what lies in the site directory when it is asked for, by GET or HEAD, with the media type
// that module scripts and streaming compilation of WebAssembly insist on. Always revalidated: a rebuilt page is never
// mixed with an old one.

import { createReadStream, promises as fs } from 'node:fs';
import { extname, join, sep } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.wasm': 'application/wasm',
  '.zip': 'application/zip',
  '.whl': 'application/zip',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.py': 'text/plain; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

// The page's policy. `port`: ours, for the WebSocket; `connect`: further origins that the user's `fetch` may reach.
export function contentSecurityPolicy(port, connect = []) {
  const own = [`ws://127.0.0.1:${port}`, `ws://localhost:${port}`];
  return [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    ['connect-src', "'self'", ...own, ...connect].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

// Answers one request whose Host and Origin are accepted. `headers` go on every answer.
export async function serveFile(request, response, site, headers) {
  const send = (status, text) => {
    response.writeHead(status, { ...headers, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : `${text}\n`);
  };
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return send(405, 'only GET and HEAD');
  }
  const path = sitePath(request.url);
  if (path === null) return send(400, 'bad path');
  let file;
  try {
    // The real path is compared, so that neither a link nor an odd spelling leads out of the site.
    const root = await fs.realpath(site);
    file = await fs.realpath(join(root, path));
    if (file !== root && !file.startsWith(root + sep)) return send(404, 'not found');
    if ((await fs.stat(file)).isDirectory()) {
      if (!new URL(request.url, 'http://x').pathname.endsWith('/')) return send(404, 'not found');
      file = join(file, 'index.html');
    }
  } catch {
    return send(404, 'not found');
  }
  const stat = await fs.stat(file).catch(() => null);
  if (!stat?.isFile()) return send(404, 'not found');
  const etag = `"${stat.size.toString(36)}-${Math.round(stat.mtimeMs).toString(36)}"`;
  const common = { ...headers, 'cache-control': 'no-cache', etag };
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, common);
    return response.end();
  }
  response.writeHead(200, {
    ...common,
    'content-type': TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream',
    'content-length': stat.size,
  });
  if (request.method === 'HEAD') return response.end();
  createReadStream(file).on('error', () => response.destroy()).pipe(response);
}

// Path inside the site, without leading slash; null for anything odd.
function sitePath(url) {
  let path;
  try {
    path = decodeURIComponent(url.split(/[?#]/, 1)[0]);
  } catch {
    return null;
  }
  if (!path.startsWith('/') || /[\u0000-\u001f\\]/.test(path) || path.split('/').includes('..')) return null;
  return path.slice(1);
}
