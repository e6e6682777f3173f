// The server against pages and programs that are not ours.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';

import { startServer } from '../../web/server/server.mjs';
import { RawSocket } from './support/raw_socket.mjs';
import { makeTree } from './support/tree.mjs';

async function serve(t, options = {}) {
  const site = makeTree(t, {
    'index.html': '<!doctype html><title>page</title>',
    'app.mjs': 'export {}',
    'core.wasm': Buffer.from([0, 0x61, 0x73, 0x6d]),
    'secret-link': { link: '/etc/passwd' },
    'sub/index.html': 'sub',
    ...options.files,
  });
  const server = await startServer({ site, workspace: site, ...options });
  t.after(() => server.close());
  return server;
}

// Sends the path exactly as given, which `fetch` would not.
function get(server, path, headers = {}, method = 'GET') {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: server.port, path, method, headers: { host: `127.0.0.1:${server.port}`, ...headers } }, (response) => {
      let body = '';
      response.on('data', (data) => (body += data));
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

test('the page is served with types that modules and streaming WebAssembly need', async (t) => {
  const server = await serve(t);
  for (const [path, type] of [['/', /^text\/html/], ['/app.mjs', /^text\/javascript/], ['/core.wasm', /^application\/wasm$/], ['/sub/', /^text\/html/]]) {
    const answer = await get(server, path);
    assert.equal(answer.status, 200, path);
    assert.match(answer.headers['content-type'], type);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  }
});

test('a file is revalidated, and a changed one is sent anew', async (t) => {
  const server = await serve(t);
  const { headers } = await get(server, '/app.mjs');
  assert.equal(headers['cache-control'], 'no-cache');
  assert.equal((await get(server, '/app.mjs', { 'if-none-match': headers.etag })).status, 304);
  assert.equal((await get(server, '/app.mjs', { 'if-none-match': '"other"' })).status, 200);
});

test('the policy admits our own scripts and sockets, and the origins that the user named', async (t) => {
  const server = await serve(t, { connect: ['https://api.example.org'] });
  const policy = (await get(server, '/')).headers['content-security-policy'];
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self' 'wasm-unsafe-eval';/);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'/);
  assert.match(policy, new RegExp(`connect-src 'self' ws://127.0.0.1:${server.port} ws://localhost:${server.port} https://api.example.org;`));
});

test('isolation headers are the operator\'s choice', async (t) => {
  assert.equal((await get(await serve(t), '/')).headers['cross-origin-embedder-policy'], 'require-corp');
  assert.equal((await get(await serve(t, { isolated: false }), '/')).headers['cross-origin-embedder-policy'], undefined);
});

test('no spelling of a path leaves the site', async (t) => {
  const server = await serve(t);
  const spellings = [
    '/../etc/passwd', '/..%2f..%2f..%2fetc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/%252e%252e/etc/passwd', '/..\\..\\etc\\passwd',
    '/%5c..%5c..', '//etc/passwd', '/sub/../../../etc/passwd', '/app.mjs%00.html', '/%c0%ae%c0%ae/etc/passwd', '/%ff',
    '/secret-link', '/.%2e/.%2e/etc/passwd', '/sub', '/app.mjs/', '/app.mjs/x',
  ];
  for (const path of spellings) {
    const answer = await get(server, path);
    assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`);
    assert.doesNotMatch(answer.body, /root:/);
  }
});

test('only reading is allowed', async (t) => {
  const server = await serve(t);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) assert.equal((await get(server, '/', {}, method)).status, 405, method);
  const head = await get(server, '/app.mjs', {}, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal(head.body, '');
});

test('a rebound name is refused: Host must be ours, with our port', async (t) => {
  const server = await serve(t);
  const { port } = server;
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`, `127.0.0.1.evil.example:${port}`, `localhost.evil:${port}`, `0.0.0.0:${port}`, `127.0.0.1:${port}@evil`]) {
    assert.equal((await get(server, '/', { host })).status, 403, host);
    await assert.rejects(RawSocket.connect(server, { headers: { host } }), { status: 403 }, host);
  }
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`]) assert.equal((await get(server, '/', { host })).status, 200, host);
});

test('a request without a Host, or with two, is refused', async (t) => {
  const server = await serve(t);
  const say = (text) => new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (data) => (answer += data));
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
  assert.match(await say('GET / HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 403 /);
  assert.match(await say('GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'), /^HTTP\/1\.1 403 /);
  const two = await say(`GET / HTTP/1.1\r\nHost: evil.example\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`);
  assert.match(two, /^HTTP\/1\.1 4/);
});

test('a foreign Origin is refused, for files and for the socket', async (t) => {
  const server = await serve(t);
  const { port } = server;
  for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${port + 1}`, `https://127.0.0.1:${port}`, `http://127.0.0.1:${port}.evil.example`, `http://evil.example:${port}`, 'http://127.0.0.1', 'file://']) {
    assert.equal((await get(server, '/app.mjs', { origin })).status, 403, origin);
    await assert.rejects(RawSocket.connect(server, { origin }), { status: 403 }, origin);
  }
  await assert.rejects(RawSocket.connect(server, { origin: null }), { status: 403 });
  const socket = await RawSocket.connect(server, { origin: `http://localhost:${port}` });
  await socket.close();
});

test('another site may link to the page, but not load parts of it', async (t) => {
  const server = await serve(t);
  assert.equal((await get(server, '/app.mjs', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).status, 403);
  assert.equal((await get(server, '/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status, 200);
  assert.equal((await get(server, '/')).headers['cross-origin-resource-policy'], 'same-origin');
});

test('it listens on 127.0.0.1 and on no other address of this machine', async (t) => {
  const server = await serve(t);
  const others = Object.values(networkInterfaces()).flat().filter((it) => it.family === 'IPv4' && it.address !== '127.0.0.1').map((it) => it.address);
  for (const host of ['127.0.0.2', ...others]) {
    const code = await new Promise((resolve) => {
      const socket = connect({ host, port: server.port }, () => { socket.destroy(); resolve('connected'); });
      socket.on('error', (error) => resolve(error.code));
    });
    assert.notEqual(code, 'connected', host);
  }
});

test('the socket is at one place only', async (t) => {
  const server = await serve(t);
  for (const path of ['/', '/workspace/', '/workspace?x=1', '/other']) await assert.rejects(RawSocket.connect(server, { path }), { status: 404 }, path);
});
