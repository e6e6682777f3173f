// The wasm core as the npm package has it, under Node.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const PACKAGE = process.env.PYSOLATE_NPM ?? 'build/wasm/npm/pysolate';
const { loadPysolate } = await import(pathToFileURL(join(PACKAGE, 'load.mjs')));
const core = await loadPysolate();

const json = JSON.stringify;
const options = json({ program: 'two.py', mode: 'overlap', clock: 'virtual', unit: 1 });

function open() {
  const engine = new core.Engine(options);
  assert.equal(engine.error(), '');
  assert.equal(engine.input(0, json({ k: 'tool', name: 'fetch', effect: 'immutable_read' })), 1);
  assert.equal(engine.input(0, json({ k: 'scope', kind: 'program', state: 'active' })), 1);
  assert.equal(engine.input(0, json({ k: 'site', file: 'two.py', line: 1 })), 1);
  return engine;
}

test('an early call is dispatched, promoted when reached, and consumed', () => {
  const engine = open();
  const call = engine.arrive(0, 1, 1, 1, false, '', 'a');
  engine.args(0, call, 1, "'é😀'");
  assert.deepEqual(JSON.parse(engine.commands())[0], ['dispatch', 1, call]);
  const reached = engine.reach(5, 1, 1, 1, 1, "'é😀'", 'a', 0);
  assert.equal(Math.floor(reached / 16), call);
  assert.equal(engine.attemptOf(call), 1);
  engine.complete(9, 1, 4, "'text'");
  assert.equal(engine.stateOf(call), 3);
  engine.consume(9, call);
  assert.equal(engine.stateOf(call), 5);
  engine.input(9, json({ k: 'end', ok: true }));
  assert.equal(engine.error(), '');
  const trace = engine.takeTrace();
  assert.match(trace, /"args":"'é😀'"/);
  const check = JSON.parse(core.checkTrace(trace));
  assert.equal(check.ok, true, json(check.problems));
  assert.equal(JSON.parse(core.traceStats(trace)).makespan, 9);
  assert.equal(engine.takeTrace(), '');
  engine.delete();
});

test('a number that is none is refused by name and changes nothing', () => {
  const engine = open();
  engine.takeTrace();
  for (const bad of [NaN, -1, 1.5, Infinity, undefined, 2 ** 53, 'x']) {
    assert.equal(engine.reach(bad, 1, 1, 1, 1, '', '', 0), 0);
    assert.match(engine.error(), /^now must be an integer/);
  }
  for (const bad of [NaN, -1, 0.5, 2 ** 32, 'x']) {
    engine.complete(0, bad, 0, '');
    assert.match(engine.error(), /^attempt must be an integer/);
  }
  assert.throws(() => engine.consume(0));  // arguments are counted
  assert.equal(engine.takeTrace(), '');
  engine.delete();
});

test('a refused input leaves its reason; the next good one clears it', () => {
  const engine = open();
  engine.consume(0, 7);
  assert.match(engine.error(), /call 7/);
  engine.nextDeadline();
  assert.equal(engine.error(), '');
  engine.delete();
});

test('a broken trace is answered with line and cause', () => {
  const check = JSON.parse(core.checkTrace('{"seq":1,"t":0,"k":"run","version":1}\nnonsense\n'));
  assert.deepEqual(check.error, { line: 2, cause: "expected '{' at column 1" });
  assert.equal(check.ok, false);
});

test('the hand-kept types name what the module has', () => {
  const types = readFileSync(join(PACKAGE, 'pysolate.d.ts'), 'utf8');
  const engineType = types.slice(types.indexOf('declare class Engine'), types.indexOf('/** The instantiated module.'));
  const declared = [...engineType.matchAll(/^ {2}([a-z]\w*)\(/gm)].map((m) => m[1]).filter((name) => name !== 'constructor');
  const coreType = types.slice(types.indexOf('interface Core'), types.indexOf('interface LoadOptions'));
  const functions = [...coreType.matchAll(/^ {2}([a-z]\w*)\(/gm)].map((m) => m[1]);
  const real = Object.getOwnPropertyNames(core.Engine.prototype).filter((name) => name !== 'constructor');
  for (const name of declared) assert.equal(typeof core.Engine.prototype[name], 'function', name);
  for (const name of real) assert.ok(declared.includes(name), `${name} has no type`);
  for (const name of functions) assert.equal(typeof core[name], 'function', name);
});

test('10,000 engines leave the heap where it was', () => {
  const turn = () => {
    const engine = open();
    engine.reach(0, 1, 1, 1, 1, 'x'.repeat(100), '', 0);
    engine.takeTrace();
    engine.delete();
  };
  for (let i = 0; i < 100; i++) turn();
  const before = core.HEAPU8.length;
  for (let i = 0; i < 10_000; i++) turn();
  assert.equal(core.HEAPU8.length, before);
});

test('small, and at home under a content security policy', () => {
  const { size } = statSync(join(PACKAGE, 'pysolate_core.wasm'));
  console.log(`core wasm: ${size} bytes`);
  assert.ok(size <= 200_000, `${size} bytes`);
  const glue = readFileSync(join(PACKAGE, 'pysolate_core.mjs'), 'utf8');
  assert.doesNotMatch(glue, /new Function\(|\beval\(/);
});
