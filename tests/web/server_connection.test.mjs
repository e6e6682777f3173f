// Many requests on one connection: delay, order, cancelling, limits, and clients that don't keep to the protocol.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { MAX_IN_FLIGHT } from '../../web/server/connection.mjs';
import { startServer } from '../../web/server/server.mjs';
import { RawSocket } from './support/raw_socket.mjs';
import { makeTree } from './support/tree.mjs';

async function open(t, options = {}) {
  const root = makeTree(t, Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`f${i}.txt`, `file ${i}`])));
  const server = await startServer({ site: root, workspace: root, ...options });
  t.after(() => server.close());
  const socket = await RawSocket.connect(server);
  await socket.ok('open');
  return { server, socket };
}

test('requests overlap: eight delayed reads take less than the sum of two', async (t) => {
  const delay = 150;
  const { socket } = await open(t, { delay });
  const start = performance.now();
  const texts = await Promise.all(Array.from({ length: 8 }, (_, i) => socket.ok('read_text', { path: `f${i}.txt` })));
  const together = performance.now() - start;
  assert.deepEqual(texts, Array.from({ length: 8 }, (_, i) => `file ${i}`));
  const again = performance.now();
  for (let i = 0; i < 8; i++) await socket.ok('read_text', { path: `f${i}.txt` });
  const oneByOne = performance.now() - again;
  assert.ok(oneByOne > 4 * together, `${together} ms together, ${oneByOne} ms one by one`);
});

test('a page may choose its delay, within limits', async (t) => {
  const { socket } = await open(t);
  assert.equal((await socket.ok('open', {}, { delay: 50 })).delay, 50);
  for (const delay of [-1, 1e9, '5', null, NaN]) assert.ok('error' in (await socket.ask('open', {}, { delay })), String(delay));
});

test('a cancelled request is answered once, as cancelled', async (t) => {
  const { socket } = await open(t, { delay: 60_000 });
  const slow = socket.ask('read_text', { path: 'f0.txt' });
  socket.cancel(slow.id);
  socket.cancel(slow.id);
  assert.deepEqual(await slow, { id: slow.id, cancelled: true });
  await socket.ok('open', {}, { delay: 0 });
  assert.equal(socket.received.filter((message) => message.id === slow.id).length, 1);
});

test('cancelling what is answered, or never was, changes nothing', async (t) => {
  const { socket } = await open(t);
  const read = socket.ask('read_text', { path: 'f0.txt' });
  assert.equal((await read).ok, 'file 0');
  socket.cancel(read.id);
  socket.cancel(12345);
  assert.equal(await socket.ok('read_text', { path: 'f1.txt' }), 'file 1');
  assert.equal(socket.received.filter((message) => message.id === read.id).length, 1);
});

test('a thousand in flight are all answered, each once', async (t) => {
  const { socket } = await open(t, { delay: 20 });
  const answers = await Promise.all(Array.from({ length: 1000 }, (_, i) => socket.ok('read_text', { path: `f${i % 8}.txt` })));
  answers.forEach((text, i) => assert.equal(text, `file ${i % 8}`));
  assert.equal(new Set(socket.received.map((message) => message.id)).size, socket.received.length);
});

test('too many in flight are refused, the others go on', async (t) => {
  const { socket } = await open(t, { delay: 60_000 });
  const asked = Array.from({ length: MAX_IN_FLIGHT + 5 }, () => socket.ask('exists', { path: 'f0.txt' }));
  const refused = await Promise.all(asked.slice(MAX_IN_FLIGHT));
  for (const answer of refused) assert.match(answer.error.message, /requests at once/);
  for (const ask of asked.slice(0, MAX_IN_FLIGHT)) socket.cancel(ask.id);
  assert.ok((await Promise.all(asked.slice(0, MAX_IN_FLIGHT))).every((answer) => answer.cancelled));
});

test('what is not the protocol closes the connection, and only that one', async (t) => {
  const { server, socket } = await open(t);
  const nonsense = ['', 'null', '[]', '{}', '{"id":0,"op":"open"}', '{"id":1.5,"op":"open"}', '{"id":"1","op":"open"}', '{"id":9}', '{"op":"open"}', '{"id":1,"op":7}', '{"cancel":"1"}', '{'.repeat(1000)];
  for (const text of nonsense) {
    const bad = await RawSocket.connect(server);
    bad.sendRaw(text);
    assert.equal(await bad.closed, 1008, text.slice(0, 40));
  }
  const binary = await RawSocket.connect(server);
  binary.sendRaw(Buffer.from('{"id":1,"op":"open"}'), { binary: true });
  assert.equal(await binary.closed, 1008);
  const huge = await RawSocket.connect(server);
  huge.sendRaw(JSON.stringify({ id: 1, op: 'read_text', args: { path: 'x'.repeat(1 << 20) } }));
  assert.equal(await huge.closed, 1009);
  const twice = await RawSocket.connect(server);
  await twice.ok('open', {}, { delay: 1000 });
  twice.sendRaw('{"id":7,"op":"exists","args":{"path":""}}');
  twice.sendRaw('{"id":7,"op":"exists","args":{"path":""}}');
  assert.equal(await twice.closed, 1008);
  assert.equal(await socket.ok('read_text', { path: 'f0.txt' }), 'file 0');
});

test('arguments that are no object are a TypeError, not a crash', async (t) => {
  const { socket } = await open(t);
  for (const args of [null, [], 'x', 7]) assert.equal((await socket.ask('read_text', args)).error.type, 'TypeError');
  assert.equal(await socket.ok('read_text', { path: 'f0.txt' }), 'file 0');
});

test('closing the connection in the middle leaves a server that works', async (t) => {
  const { server, socket } = await open(t, { delay: 100 });
  for (let i = 0; i < 50; i++) socket.ask('read_text', { path: 'f0.txt' });
  await socket.close();
  const next = await RawSocket.connect(server);
  await next.ok('open', {}, { delay: 0 });
  assert.equal(await next.ok('read_text', { path: 'f0.txt' }), 'file 0');
});

test('without a workspace the tools say how to give one', async (t) => {
  const root = makeTree(t, { 'index.html': '' });
  const server = await startServer({ site: root });
  t.after(() => server.close());
  const socket = await RawSocket.connect(server);
  assert.match((await socket.error('open', {})).message, /--workspace DIR/);
});
