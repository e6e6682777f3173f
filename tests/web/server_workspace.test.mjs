// The workspace tools as a program sees them, and as an attacker tries them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { compileGlob } from '../../web/server/glob.mjs';
import { startServer } from '../../web/server/server.mjs';
import { RawSocket } from './support/raw_socket.mjs';
import { makeTree } from './support/tree.mjs';

const TREE = {
  'README.md': '# Title\n\nText with ünïcode.\n',
  'data/raw.bin': Buffer.from([0, 1, 2, 0xff, 0xfe]),
  'data/latin1.txt': Buffer.from([0x63, 0x61, 0x66, 0xe9]),
  'data/empty.txt': '',
  'src/a.py': 'import b\nTODO = 1\n',
  'src/b.py': '# todo: later\r\nx = 2\r\n',
  'src/deep/er/c.py': 'TODO\n',
  'zeit/größe 1.txt': 'x',
  '.git/config': 'secret',
  'build/out.txt': 'built',
  'node_modules/x/index.js': 'x',
  'link-out': { link: '/etc' },
  'link-in': { link: 'README.md' },
};

async function open(t, { files = TREE, ...options } = {}) {
  const root = makeTree(t, files);
  const server = await startServer({ site: root, workspace: root, ...options });
  const socket = await RawSocket.connect(server);
  t.after(async () => {
    await socket.close();
    await server.close();
  });
  const opened = await socket.ok('open');
  return { root, server, socket, opened };
}

test('read_text, read_bytes, list, exists and glob answer from the tree', async (t) => {
  const { socket } = await open(t);
  assert.equal(await socket.ok('read_text', { path: 'README.md' }), TREE['README.md']);
  assert.equal(await socket.ok('read_text', { path: './src//deep/../a.py' }), TREE['src/a.py']);
  assert.equal(await socket.ok('read_text', { path: 'zeit/größe 1.txt' }), 'x');
  assert.equal(await socket.ok('read_text', { path: 'data/empty.txt' }), '');
  assert.equal((await socket.ok('read_bytes', { path: 'data/raw.bin' })).base64, TREE['data/raw.bin'].toString('base64'));
  assert.deepEqual(await socket.ok('list', { path: '' }), ['README.md', 'data/', 'link-in', 'link-out', 'src/', 'zeit/']);
  assert.deepEqual(await socket.ok('list', { path: 'src/' }), ['a.py', 'b.py', 'deep/']);
  assert.deepEqual(await socket.ok('glob', { pattern: '**/*.py' }), ['src/a.py', 'src/b.py', 'src/deep/er/c.py']);
  assert.deepEqual(await socket.ok('glob', { pattern: 'src/*.py' }), ['src/a.py', 'src/b.py']);
  assert.equal(await socket.ok('exists', { path: 'src' }), true);
  assert.equal(await socket.ok('exists', { path: 'src/none.py' }), false);
});

test('grep names path, line and text, literally or by regular expression', async (t) => {
  const { socket } = await open(t);
  assert.deepEqual(await socket.ok('grep', { pattern: 'TODO', glob: '**/*.py' }), [
    { path: 'src/a.py', line: 2, text: 'TODO = 1' },
    { path: 'src/deep/er/c.py', line: 1, text: 'TODO' },
  ]);
  assert.deepEqual((await socket.ok('grep', { pattern: 'todo', ignore_case: true })).map((hit) => hit.path), ['src/a.py', 'src/b.py', 'src/deep/er/c.py']);
  assert.deepEqual(await socket.ok('grep', { pattern: '^x = \\d\\r?$', regex: true }), [{ path: 'src/b.py', line: 2, text: 'x = 2' }]);
});

test('what can\'t be read says why, in the words of Python', async (t) => {
  const { socket } = await open(t, { limits: { file_bytes: 100 }, files: { ...TREE, 'big.txt': 'x'.repeat(101) } });
  for (const [op, args, type, message] of [
    ['read_text', { path: 'nope.txt' }, 'FileNotFoundError', /no such file.*"nope.txt"/],
    ['read_text', { path: 'src' }, 'IsADirectoryError', /"src"/],
    ['read_text', { path: 'data/latin1.txt' }, 'UnicodeError', /not UTF-8.*read_bytes/],
    ['read_text', { path: 'big.txt' }, 'ValueError', /101 bytes; the limit for one read is 100/],
    ['read_text', {}, 'TypeError', /a path is a string/],
    ['read_text', { path: ['README.md'] }, 'TypeError', /not list/],
    ['list', { path: 'README.md' }, 'NotADirectoryError', /README/],
    ['list', { path: 'nope' }, 'FileNotFoundError', /nope/],
    ['grep', { pattern: '(', regex: true }, 'ValueError', /bad regular expression "\("/],
    ['grep', { pattern: '' }, 'ValueError', /empty/],
    ['glob', { pattern: '' }, 'ValueError', /empty/],
    ['remove', { path: 'README.md' }, 'ValueError', /no operation "remove"/],
    ['__proto__', {}, 'ValueError', /no operation/],
    ['constructor', {}, 'ValueError', /no operation/],
  ]) {
    const error = await socket.error(op, args);
    assert.equal(error.type, type, `${op} ${JSON.stringify(args)}: ${error.message}`);
    assert.match(error.message, message);
  }
});

test('no spelling of a path leaves the root', async (t) => {
  const { socket } = await open(t);
  const spellings = [
    '..', '../', '../x', 'src/../../etc/passwd', './../etc/passwd', 'src/deep/../../../etc', '/etc/passwd', '//etc/passwd', '/', '\\etc\\passwd', '..\\..\\x',
    'src\\..\\..\\x', 'C:/Windows/win.ini', 'c:secret', 'C:\\Windows', '\\\\server\\share', 'README.md\0', '\0', 'src/\0/../../x', 'a\nb',
    'link-out/passwd', 'link-out', 'link-in', 'link-in/../../etc/passwd',
    '%2e%2e/%2e%2e/etc/passwd', '..%2f..%2fetc%2fpasswd', '%2fetc%2fpasswd', '．．/etc/passwd', '․․/etc/passwd', '../'.repeat(40) + 'etc/passwd',
    '/proc/self/environ', '/dev/zero', '~/.ssh/id_rsa', 'file:///etc/passwd', '\ud800/x', 'a'.repeat(5000), '.git/config', 'build/out.txt', 'README.md/../..',
  ];
  for (const path of spellings) {
    const error = await socket.error('read_text', { path });
    assert.ok(['FileNotFoundError', 'PermissionError', 'ValueError'].includes(error.type), `${JSON.stringify(path)}: ${error.type}`);
    assert.notEqual((await socket.ask('list', { path })).ok?.includes('passwd'), true);
  }
  for (const pattern of ['../*', '/etc/*', 'src/../../*']) assert.match((await socket.error('glob', { pattern })).type, /PermissionError|ValueError/);
  assert.deepEqual(await socket.ok('glob', { pattern: 'link-out/**' }), []);
});

test('.git, build and node_modules are no part of the root', async (t) => {
  const { socket, opened } = await open(t);
  const all = await socket.ok('glob', { pattern: '**' });
  assert.deepEqual(all.filter((path) => /^(\.git|build|node_modules)/.test(path)), []);
  assert.equal(opened.files, 8);
  assert.equal(opened.skipped.directories, 3);
});

test('files that are no files are left out, and nothing waits for them', async (t) => {
  const root = makeTree(t, { 'a.txt': 'a' });
  execFileSync('mkfifo', [join(root, 'pipe')]);
  writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff])]), 'x');
  const server = await startServer({ site: root, workspace: root });
  const socket = await RawSocket.connect(server);
  t.after(async () => { await socket.close(); await server.close(); });
  const opened = await socket.ok('open');
  assert.deepEqual(await socket.ok('list', { path: '' }), ['a.txt']);
  assert.equal(opened.skipped.special, 1);
  assert.equal(opened.skipped.names, 1);
});

test('the content id names the state of the tree', async (t) => {
  const { root, socket, opened } = await open(t);
  assert.match(opened.content, /^[0-9a-f]{16}$/);
  assert.equal((await socket.ok('open')).content, opened.content, 'unchanged');
  writeFileSync(join(root, 'src/new.py'), '');
  const added = await socket.ok('open');
  assert.notEqual(added.content, opened.content, 'a file more');
  utimesSync(join(root, 'README.md'), new Date(0), new Date(0));
  assert.notEqual((await socket.ok('open')).content, added.content, 'touched');
});

test('a file that changes under the snapshot is reported by name, and a new snapshot sees it', async (t) => {
  const { root, socket } = await open(t);
  appendFileSync(join(root, 'README.md'), 'more');
  rmSync(join(root, 'src/a.py'));
  for (const path of ['README.md', 'src/a.py']) {
    const error = await socket.error('read_text', { path });
    assert.equal(error.type, 'OSError');
    assert.equal(error.changed, path);
    assert.ok(error.message.includes(path), error.message);
    assert.match(error.message, /no longer what the snapshot saw/);
  }
  writeFileSync(join(root, 'later.txt'), 'later');
  assert.equal((await socket.error('read_text', { path: 'later.txt' })).type, 'FileNotFoundError');
  assert.equal((await socket.ok('list', { path: '' })).includes('later.txt'), false);
  await socket.ok('open');
  assert.equal(await socket.ok('read_text', { path: 'README.md' }), `${TREE['README.md']}more`);
  assert.equal(await socket.ok('read_text', { path: 'later.txt' }), 'later');
});

test('same size and same modification time do not hide a change', async (t) => {
  const { root, socket } = await open(t);
  const when = new Date(1e12);
  utimesSync(join(root, 'src/a.py'), when, when);
  await socket.ok('open');
  writeFileSync(join(root, 'src/a.py'), 'import c\nTODO = 1\n');
  utimesSync(join(root, 'src/a.py'), when, when);
  assert.equal((await socket.error('read_text', { path: 'src/a.py' })).changed, 'src/a.py');
});

test('a directory or file swapped for a link after the snapshot leads nowhere', async (t) => {
  const { root, socket } = await open(t);
  const outside = makeTree(t, { 'a.py': 'secret', 'b.py': 'secret' });
  renameSync(join(root, 'src'), join(root, 'src-old'));
  symlinkSync(outside, join(root, 'src'));
  assert.match((await socket.error('read_text', { path: 'src/a.py' })).message, /changed|replaced/);
  rmSync(join(root, 'src'));
  mkdirSync(join(root, 'src'));
  symlinkSync(join(outside, 'b.py'), join(root, 'src/b.py'));
  assert.match((await socket.error('read_text', { path: 'src/b.py' })).message, /changed|replaced/);
});

test('a tree with too many entries is refused with the limit', async (t) => {
  const root = makeTree(t, Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, ''])));
  const server = await startServer({ site: root, workspace: root, limits: { entries: 20 } });
  const socket = await RawSocket.connect(server);
  t.after(async () => { await socket.close(); await server.close(); });
  assert.match((await socket.error('open', {})).message, /more than 20 entries/);
  assert.match((await socket.error('read_text', { path: 'f1' })).message, /no snapshot/);
});

test('a regular expression that never ends is ended; others go on meanwhile', async (t) => {
  const { socket } = await open(t, { files: { 'a.txt': `${'a'.repeat(40)}b`, 'b.txt': 'fine' }, limits: { grep_regex_ms: 300 } });
  const stuck = socket.ask('grep', { pattern: '^(a+)+$', regex: true });
  const reading = socket.ask('read_text', { path: 'b.txt' });
  assert.equal((await Promise.race([stuck.then(() => 'grep'), reading.then(() => 'read')])), 'read');
  assert.equal((await stuck).error.type, 'TimeoutError');
});

test('glob patterns match as in Python, and none of them takes long', () => {
  const match = (pattern, path) => compileGlob(pattern)(path);
  for (const [pattern, path] of [['*', 'a'], ['**', 'a/b/c'], ['**/c', 'c'], ['**/c', 'a/b/c'], ['a/**/c', 'a/c'], ['a/**/c', 'a/x/y/c'], ['?.py', 'a.py'], ['[ab].py', 'b.py'], ['[!ab].py', 'c.py'], ['[a-c]x', 'bx'], ['[', '['], ['[]]', ']'], ['*.tar.*', 'x.tar.gz'], ['ü?', 'üö'], ['?', '😀']]) {
    assert.equal(match(pattern, path), true, `${pattern} ${path}`);
  }
  for (const [pattern, path] of [['*', 'a/b'], ['a*', 'b'], ['**/c', 'a/cc'], ['a/**/c', 'b/c'], ['?', 'ab'], ['[ab].py', 'c.py'], ['*.py', 'a.pyc'], ['a.py', 'aXpy']]) {
    assert.equal(match(pattern, path), false, `${pattern} ${path}`);
  }
  assert.equal(match('*a'.repeat(200) + 'b', 'a'.repeat(2000)), false);
  assert.equal(match('**/'.repeat(200) + 'b', 'a/'.repeat(500) + 'c'), false);
});
