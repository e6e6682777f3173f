// The event graph beside the program: drawn live from the running trace, agreeing with it, and from trace files.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch, openNotebook } from './support/browser.mjs';
import { PROJECT } from './support/packages.mjs';
import { countStates } from './support/pixels.mjs';
import { makeTree } from './support/tree.mjs';

const TWO_READS = 'readme = workspace.read_text("README.md")\nterms = workspace.read_text("LICENSE")\nprint(len(readme) + len(terms))\n';
const MIXED = `for i in range(6):
    workspace.read_text(f"part{i}.txt")
try:
    workspace.read_text("none.txt")
except FileNotFoundError:
    journal.write("missing")
`;

let browser, notebook;
const cleanups = [];
const file = { after: (cleanup) => cleanups.unshift(cleanup) };
before(async () => {
  browser = await launch();
  const workspace = makeTree(file, { 'README.md': 'one\n', LICENSE: 'two\n', ...Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`part${i}.txt`, `${i}`])) });
  notebook = await openNotebook(file, browser, { workspace });
  assert.equal(await notebook.page.locator('pysolate-viewer').count(), 1, 'the page has its viewer');
});
after(async () => {
  for (const cleanup of cleanups) await cleanup();
  await browser?.close();
});

const viewerState = () => notebook.page.evaluate(() => pysolate.graph.viewer.state());
const picture = async () => {
  await notebook.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return notebook.page.locator('pysolate-viewer').screenshot();
};

// States of calls and attempts as the trace tells them up to and including event `seq`. An attempt is on the ledger as
// running until its outcome is taken.
function countTrace(trace, seq) {
  const calls = new Map();
  const running = new Set();
  const attemptOf = new Map();
  let consumed = 0;
  for (const event of trace) {
    if (event.seq > seq) break;
    if (event.k === 'arrive') calls.set(event.call, 'waiting');
    if (event.k === 'ready') calls.set(event.call, 'ready');
    if (event.k === 'dispatch') {
      calls.set(event.call, 'dispatched');
      running.add(event.attempt);
      attemptOf.set(event.call, event.attempt);
    }
    if (event.k === 'settle') calls.set(event.call, 'settled');
    if (event.k === 'consume') {
      consumed++;
      running.delete(attemptOf.get(event.call));
    }
  }
  const states = [...calls.values()];
  return { arrived: calls.size, ready: states.filter((s) => s === 'ready').length, dispatched: states.filter((s) => s === 'dispatched').length, running: running.size, consumed };
}

test('two overlapped reads of real files are drawn while they run', async () => {
  await notebook.start(TWO_READS, { delay: 5000 });
  await notebook.page.waitForFunction(() => pysolate.graph.viewer.state().attempts.running === 2, null, { timeout: 60_000 });
  const during = await countStates(browser, await picture(), 'dark');
  assert.ok(during.dispatched > 60, `running calls have their colour: ${JSON.stringify(during)}`);
  const { result } = await notebook.finish();
  assert.equal(result.exception, null);
  await notebook.page.waitForFunction(() => pysolate.graph.viewer.state().ended);
  const afterwards = await countStates(browser, await picture(), 'dark');
  assert.ok(afterwards.succeeded > 60, JSON.stringify(afterwards));
  assert.ok(afterwards.dispatched < during.dispatched, 'nothing runs any more');
});

test('the viewer\'s counts agree with the trace at every event', async () => {
  const { trace } = await notebook.run(MIXED, { delay: 30, budget: 3 });
  const last = trace.at(-1).seq;
  await notebook.page.waitForFunction((seq) => pysolate.graph.viewer.state().last === seq, last);
  const shown = await notebook.page.evaluate(async (seqs) => {
    const { viewer } = pysolate.graph;
    const states = [];
    for (const seq of seqs) {
      await viewer.goTo(seq);
      states.push(viewer.state());
    }
    return states;
  }, trace.map((event) => event.seq));
  for (const [i, event] of trace.entries()) {
    const { calls, attempts, cursor, frontier } = shown[i];
    assert.equal(cursor, event.seq);
    const { arrived, ready, dispatched, running, consumed } = countTrace(trace, event.seq);
    assert.deepEqual(
      { arrived: calls.arrived, ready: frontier, dispatched: calls.dispatched, running: attempts.running, consumed: attempts.consumed },
      { arrived, ready, dispatched, running, consumed },
      `at event ${event.seq} (${event.k})`);
  }
  const { calls } = shown.at(-1);
  assert.equal(calls.arrived, 8, 'six reads, one that fails, one write');
});

test('a failed and a succeeded call have their own colours, in both themes', async () => {
  await notebook.run(MIXED, { delay: 0 });
  for (const theme of ['dark', 'light']) {
    await notebook.page.locator('#theme').selectOption(theme);
    await notebook.page.waitForFunction((wanted) => pysolate.graph.viewer.state().theme === wanted, theme);
    const counts = await countStates(browser, await picture(), theme);
    assert.ok(counts.succeeded > 40 && counts.failed > 10, `${theme}: ${JSON.stringify(counts)}`);
  }
  await notebook.page.locator('#theme').selectOption('system');
});

test('stepping back shows what was, and the page stays where the reader is', async () => {
  const { trace } = await notebook.run(TWO_READS, { delay: 20 });
  const dispatches = trace.filter((event) => event.k === 'dispatch');
  const state = await notebook.page.evaluate(async (seq) => {
    await pysolate.graph.viewer.goTo(seq);
    return pysolate.graph.viewer.state();
  }, dispatches[1].seq);
  assert.equal(state.attempts.running, 2);
  assert.equal(state.cursor, dispatches[1].seq);
});

async function saveTrace(t) {
  const [download] = await Promise.all([notebook.page.waitForEvent('download'), notebook.page.locator('#download').click()]);
  const path = join(makeTree(t, { placeholder: '' }), download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

async function openFile(path) {
  await notebook.page.locator('#file').setInputFiles(path);
}

test('the downloaded trace is the run\'s, passes the checker, and opens again', async (t) => {
  const { text, trace } = await notebook.run(MIXED, { delay: 10 });
  const path = await saveTrace(t);
  assert.equal(readFileSync(path, 'utf8'), text);
  assert.match(path, /\.jsonl$/);
  const checker = process.env.PYSOLATE_CLI ?? join(PROJECT, 'build', 'native', 'pysolate');
  if (existsSync(checker)) execFileSync(checker, ['check', path]);
  else t.diagnostic(`not checked by ${checker}: it is not built`);
  await openFile(path);
  await notebook.page.waitForFunction((events) => pysolate.graph.viewer.state().events === events, trace.length);
  assert.equal(await notebook.page.locator('#banner').isVisible(), false);
});

test('a dropped trace opens', async (t) => {
  const { text, trace } = await notebook.run(TWO_READS);
  await notebook.run('pass');
  const data = await notebook.page.evaluateHandle((content) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], 'dropped.jsonl'));
    return transfer;
  }, text);
  await notebook.page.dispatchEvent('body', 'drop', { dataTransfer: data });
  await notebook.page.waitForFunction((events) => pysolate.graph.viewer.state().events === events, trace.length);
  assert.match(await notebook.page.locator('#trace-status').innerText(), /dropped\.jsonl/);
});

for (const [what, content, message] of [
  ['an empty trace', () => '', /empty/],
  ['a malformed line', (text) => text.replace(/^(?:.*\n){4}/, (head) => `${head}{"seq": oops}\n`), /bad\.jsonl:5: /],
  ['a file that is no trace', () => 'hello\nworld\n', /bad\.jsonl:1: /],
  ['a trace of a later version', (text) => text.replace('"version":1', '"version":99'), /version/],
  ['a trace cut in its last line', (text) => text.slice(0, -20), /last line|truncated|cut/],
]) {
  test(`${what} is opened with a clear message`, async (t) => {
    const { text } = await notebook.run(TWO_READS);
    const path = join(makeTree(t, { placeholder: '' }), 'bad.jsonl');
    writeFileSync(path, content(text));
    await openFile(path);
    await notebook.page.locator('#banner').waitFor();
    const banner = await notebook.page.locator('#banner-text').innerText();
    assert.match(banner, message);
    assert.match(banner, /^bad\.jsonl:/);
    await notebook.page.locator('#banner-close').click();
    assert.equal((await notebook.run('print("goes on")')).stdout, 'goes on\n');
  });
}

test('a run while the viewer stands still costs no frames, and none are drawn afterwards', async () => {
  await notebook.run(TWO_READS);
  await notebook.page.waitForFunction(() => pysolate.graph.viewer.state().ended);
  await notebook.page.locator('#output').click();  // no blinking caret, no hover
  await picture();
  const drawn = () => notebook.page.evaluate(() => pysolate.graph.viewer.frames);
  const before = await drawn();
  await notebook.page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1500)));
  assert.equal(await drawn(), before);
});

test('the page broke neither its policy nor itself', () => {
  assert.deepEqual(notebook.complaints, []);
});
