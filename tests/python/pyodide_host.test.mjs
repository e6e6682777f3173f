// JavaScript and Python tools in a real Pyodide: waiting, failing, stopping, values across the border.
//
//   node --experimental-wasm-stack-switching --test tests/python/pyodide_host.test.mjs
import assert from 'node:assert/strict';
import {after, before, test} from 'node:test';

import {fromTaggedJson, toTaggedJson} from '../../wasm/js/pyodide-host.mjs';
import {attach, sleep} from './pyodide_support.mjs';

let session;
let host;
let printed = '';
let traced = '';
const started = [];
const aborted = [];

const tools = {
  fetch: {
    fn: async ({url, n}, {signal}) => {
      started.push(url);
      await sleep(url.startsWith('slow') ? 30 : 1, signal).catch((e) => { aborted.push(url); throw e; });
      if (url.startsWith('bad')) throw Object.assign(new Error(`no ${url}`), {pythonType: 'FileNotFoundError'});
      return url.repeat(n);
    },
    parameters: 'url, n=1', effect: 'immutable_read', cancellable: true,
  },
  'workspace.read_bytes': {fn: async ({path}) => new TextEncoder().encode(path), parameters: 'path', effect: 'immutable_read'},
  echo: {fn: async ({x}) => x, parameters: 'x'},
  weird: {fn: () => { throw new RangeError('at once'); }},
  unsendable: {fn: async () => () => 1},
  never: {fn: async (_, {signal}) => {
    started.push('never');
    await sleep(60_000, signal).catch((e) => { aborted.push('never'); throw e; });
  }, cancellable: true},
  timed: {fn: async () => sleep(60_000), deadline: 20, effect: 'immutable_read'},
};

before(async () => {
  session = await attach({tools, onStdout: (text) => { printed += text; }, onTrace: (text) => { traced += text; }});
  host = session.host;
});
after(() => host.close());

// Stops the program once it is suspended in a call.
async function stopWhenPending() {
  while (!host.pending) await sleep(1);
  return host.stop();
}

async function run(source, options) {
  printed = '';
  traced = '';
  started.length = 0;
  aborted.length = 0;
  return host.run(source, options);
}

test('calls are answered, printed and reported', async () => {
  const result = await run("print(fetch('a'), fetch('b', n=3), workspace.read_bytes('p'), workspace, fetch)");
  assert.equal(result.stdout, "a bbb b'p' <workspace> <tool fetch>\n");
  assert.equal(printed, result.stdout);
  assert.equal(result.exception, null);
  assert.equal(result.report.pysolate_report, 1);
  assert.ok(result.report.ledger.balanced);
});

test('independent reads are in flight together, in sequential mode they are not', async () => {
  const source = "texts = [fetch(f'slow{i}') for i in range(8)]\nprint(len(set(texts)))";
  const overlap = await run(source);
  assert.equal(overlap.stdout, '8\n');
  assert.equal(overlap.report.calls.promoted, 8);
  const sequential = await run(source, {mode: 'sequential'});
  assert.equal(sequential.stdout, '8\n');
  assert.equal(sequential.report.calls.early, 0);
  assert.ok(overlap.report.makespan < sequential.report.makespan);
});

test('an error of a tool is raised at its own line as the Python exception that it names', async () => {
  const result = await run(`
def read(url):
    return fetch(url)
try:
    read('bad1')
except FileNotFoundError as e:
    print('caught', e)
read('bad2')`);
  assert.equal(result.stdout, 'caught no bad1\n');
  assert.deepEqual(result.exception.frames, [['<module>', 8], ['read', 3]]);
  assert.equal(result.exception.type, 'FileNotFoundError');
  assert.match(result.exception.traceback, /line 8, in <module>\n\s+read\('bad2'\)/);
});

test('other errors are ToolError, also those thrown at once', async () => {
  const result = await run("try:\n    weird()\nexcept Exception as e:\n    print(type(e).__name__, e)\nunsendable()");
  assert.equal(result.stdout, 'ToolError at once\n');
  assert.equal(result.exception.type, 'TypeError');
  assert.match(result.exception.message, /unsendable\(\) returned what cannot cross to Python: a function/);
});

test('what cannot cross is refused before anything is dispatched', async () => {
  const result = await run('echo(object())');
  assert.equal(result.exception.message, "echo() argument 'x' is not plain data: object");
  assert.equal(result.report.attempts, 0);
});

test('plain values cross both ways', async () => {
  const result = await run(`
for value in (None, True, 3, 10**20, 1.5, float('inf'), -0.0, 'é\\n', b'\\x00\\xff', [1, [2]], {'a': {'b': 1}},
              {1: 2}, {1, 2}, {'$': 'x', 'v': 1}):
    back = echo(value)
    print(type(back) is type(value) and back == value, end=' ')
print(echo((1, 2)), repr(echo(-0.0)))`);
  assert.equal(result.stdout, 'True '.repeat(14) + '[1, 2] -0.0\n', JSON.stringify(result.exception));
});

test('tagged JSON of JavaScript values', () => {
  for (const value of [null, true, 1, 2n ** 70n, NaN, -0, Infinity, 'x', new Uint8Array([0, 255]), [1, [2]], {a: 1},
    new Map([[1, 'x']]), new Set([1]), {$: 1}]) {
    const back = fromTaggedJson(toTaggedJson(value));
    if (value !== null && typeof value === 'object' && '$' in value) assert.deepEqual(back, new Map(Object.entries(value)));
    else assert.deepEqual(back, value);
  }
  assert.throws(() => toTaggedJson(() => 1), /a function cannot cross/);
  assert.throws(() => toTaggedJson(new Date(0)), /class Date/);
  const cycle = [];
  cycle.push(cycle);
  assert.throws(() => toTaggedJson(cycle), /nested deeper/);
});

test('stop while a call is pending raises KeyboardInterrupt there and cancels the call', async () => {
  const stopping = stopWhenPending();
  const result = await run("try:\n    never()\nexcept KeyboardInterrupt:\n    print('stopped')\nprint(fetch('next'))");
  assert.equal(await stopping, 'pending');
  assert.equal(result.stdout, 'stopped\nnext\n');
  assert.deepEqual(aborted, ['never']);
  assert.equal(host.stop(), 'idle');
});

test('a run after a stopped one starts clean', async () => {
  const stopping = stopWhenPending();
  const result = await run('x = 1\nnever()');
  await stopping;
  assert.equal(result.exception.type, 'KeyboardInterrupt');
  assert.equal((await run("print('x' in globals())")).stdout, 'False\n');
});

test('a call that passes its deadline is a TimeoutError', async () => {
  const result = await run('timed()');
  assert.equal(result.exception.type, 'TimeoutError');
  assert.equal(result.exception.message, 'timed() did not answer within 0.02 s');
});

test('names stay from cell to cell on request; top-level await works', async () => {
  await run('n = 1', {namespace: 'keep'});
  const result = await run("import asyncio\nawait asyncio.sleep(0)\nn += 1\nprint(n, fetch('x'))", {namespace: 'keep'});
  assert.equal(result.stdout, '2 x\n', JSON.stringify(result.exception));
});

test('one suspension for a call that waits, however much else ends meanwhile; none for one that is done', async () => {
  const result = await run(`
texts = [fetch('slow0')] + [fetch(f'{i}') for i in range(1, 20)]`);
  assert.equal(result.exception, null);
  const waits = result.report.waits;
  assert.ok(waits >= 1 && waits <= 3, `${waits} suspensions for 20 calls`);
});

test('several tasks of one program may wait at once', async () => {
  const result = await run(`
import asyncio
async def one(i):
    await asyncio.sleep(0)
    return fetch(f'slow{i}')
print(await asyncio.gather(one(1), one(2), one(3)))`);
  assert.equal(result.stdout, "['slow1', 'slow2', 'slow3']\n", JSON.stringify(result.exception));
});

test('a call through a JavaScript callback says why it cannot wait', async () => {
  const result = await run("from js import Array\nfrom pyodide.ffi import to_js\nto_js([1]).map(lambda *a: fetch('x'))");
  assert.match(result.exception.message, /cannot be switched|stack cannot|JavaScript callback/);
});

test('without stack switching the program runs sequentially, and one clear note says so', async () => {
  const run = session.pyodide.runPython(`
import json, pysolate
def double(x): return 2 * x
double.__pysolate_contract__ = pysolate.Contract("pure")
result = pysolate.run("print(double(4))", [double])
json.dumps([result.stdout, result.mode, [n["text"] for n in result.report["notes"]]])`);
  const [stdout, mode, notes] = JSON.parse(run);
  assert.equal(stdout, '8\n');
  assert.equal(mode, 'sequential');
  assert.equal(notes.length, 1);
  assert.match(notes[0], /cannot switch stacks/);
});

test('Python tools: asynchronous ones overlap, synchronous ones run in place', async () => {
  const text = await session.pyodide.runPythonAsync(`
import asyncio, json, pysolate
running, most = 0, 0
@pysolate.tool(effect="immutable_read")
async def read(x):
    global running, most
    running += 1
    most = max(most, running)
    await asyncio.sleep(0.01)
    running -= 1
    if x == 3: raise ValueError("three")
    return x
@pysolate.tool(effect="pure")
def double(x): return 2 * x
r = pysolate.run("""
found = []
for i in range(5):
    try:
        found.append(read(i))
    except ValueError as e:
        found.append(str(e))
print([double(read(i)) for i in range(3)], found)
""", [read, double])
json.dumps([r.stdout, most, r.format_exception()])`);
  const [stdout, most, trace] = JSON.parse(text);
  assert.equal(stdout, "[0, 2, 4] [0, 1, 2, 'three', 4]\n", trace);
  assert.ok(most >= 3, `${most} in flight`);
});

test('the trace that arrives is whole lines, with the source and the end', async () => {
  await run("fetch('a')");
  const lines = traced.trimEnd().split('\n').map((line) => JSON.parse(line));
  assert.equal(lines[0].k, 'run');
  assert.equal(lines[0].clock, 'real');
  assert.ok(lines.some((event) => event.k === 'dispatch'));
  assert.equal(lines.at(-1).k, 'end');
});

test('bad options and contracts are the caller\'s mistake', async () => {
  await assert.rejects(run('1', {budget: -1}), /budget must be/);
  assert.throws(() => host.setTools({x: {fn: async () => 1, effects: 'pure'}}), /tool x: unknown field effects/);
  assert.throws(() => host.setTools({x: {}}), /fn must be a function/);
});
