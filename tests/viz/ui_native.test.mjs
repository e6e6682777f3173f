// The native viewer under a virtual screen: scripts that act on what is on the screen by its name, command line, bad files.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { startDisplay } from '../web/support/display.mjs';
import { PROJECT } from '../web/support/packages.mjs';
import { pngSize } from './support/png.mjs';

const VIEWER = process.env.PYSOLATE_VIEW ?? join(PROJECT, 'build', 'native', 'pysolate-view');
const SCRIPTS = join(PROJECT, 'tests', 'viz', 'ui');
const golden = (name) => join(PROJECT, 'tests', 'golden', `${name}.jsonl`);

let display;
let dir;

// -> {code, out, err}
function view(...args) {
  return new Promise((resolve) => {
    execFile(VIEWER, args, { env: { ...process.env, DISPLAY: display.display } }, (error, out, err) => {
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : -1) : 0, out, err });
    });
  });
}
function file(name, text) {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
}

before(async () => {
  display = await startDisplay();
  dir = mkdtempSync(join(tmpdir(), 'pysolate-view-'));
});
after(() => {
  display?.close();
  rmSync(dir, { recursive: true, force: true });
});

for (const name of readdirSync(SCRIPTS).filter((entry) => entry.endsWith('.script'))) {
  test(`the script ${name} passes in the window`, async () => {
    const path = join(SCRIPTS, name);
    const [, trace] = /^# trace: (\S+)/m.exec(readFileSync(path, 'utf8'));
    const { code, out, err } = await view(golden(trace), '--script', path);
    assert.equal(code, 0, err || out);
    assert.match(out, /\d+ steps passed/);
  });
}

test('a step that does not hold fails the script, and names its line', async () => {
  const script = file('wrong.script', 'key Home\nexpect cursor 17\n');
  const { code, err } = await view(golden('city_chains'), '--script', script);
  assert.equal(code, 1);
  assert.match(err, /line 2: expect cursor 17\n.*cursor is "0", not "17"/);
});

test('a screenshot has the size asked for, in pixels of its scale', async () => {
  for (const [size, scale, expected] of [['800x500', '1', [800, 500]], ['1000x600', '1.5', [1500, 900]], ['1280x800', '2', [2560, 1600]]]) {
    const png = join(dir, `${size}@${scale}.png`);
    const { code, err } = await view(golden('city_chains'), '--screenshot', png, '--size', size, '--scale', scale);
    assert.equal(code, 0, err);
    assert.deepEqual(pngSize(readFileSync(png)), expected);
  }
});

test('the same arguments give the same picture, byte for byte', async () => {
  const shots = [];
  for (const name of ['one.png', 'two.png']) {
    await view(golden('first_match'), '--at', '60', '--select', '3', '--screenshot', join(dir, name), '--size', '900x600');
    shots.push(readFileSync(join(dir, name)));
  }
  assert.ok(shots[0].equals(shots[1]));
});

test('a cut last line is dropped with a warning, the rest is shown', async () => {
  const text = readFileSync(golden('city_chains'), 'utf8');
  const { code, err } = await view(file('cut.jsonl', text.slice(0, -30)), '--screenshot', join(dir, 'cut.png'));
  assert.equal(code, 0, 'a truncated trace is shown');
  assert.match(err, /cut\.jsonl/);
});

test('a malformed line is named by its number, what came before stays', async () => {
  const lines = readFileSync(golden('city_chains'), 'utf8').split('\n');
  lines[40] = '{"seq":41,"t":0,"k":"ready","call":';
  const path = file('malformed.jsonl', lines.join('\n'));
  const script = file('before.script', 'expect last 40\nexpect banner_is_error true\nexpect-item banner\nexpect-item timeline/call 1\n');
  const shot = await view(path, '--screenshot', join(dir, 'malformed.png'));
  assert.equal(shot.code, 2);
  assert.match(shot.err, /malformed\.jsonl:41:/);
  const { out } = await view(path, '--script', script);
  assert.match(out, /4 steps passed/);
});

for (const [what, text] of [['an empty trace', ''], ['a text that is no trace', 'hello\n'], ['a trace of a later version', '{"seq":1,"t":0,"k":"run","version":2}\n']]) {
  test(`${what} is refused with a message`, async () => {
    const { code, err } = await view(file('refused.jsonl', text), '--screenshot', join(dir, 'refused.png'));
    assert.equal(code, 2);
    assert.match(err, /refused\.jsonl.*\S/);
  });
}

test('a missing file, a folder and wrong arguments end with 2 and a sentence', async () => {
  for (const args of [[join(dir, 'nowhere.jsonl')], [dir], [golden('city_chains'), '--size', '10x10'], [golden('city_chains'), '--theme', 'blue'], ['--no-such-option']]) {
    const { code, err } = await view(...args, '--screenshot', join(dir, 'no.png'));
    assert.equal(code, 2, args.join(' '));
    assert.ok(err.trim().length > 0, args.join(' '));
  }
});
