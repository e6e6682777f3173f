// Stop always works, and the page never waits for Python.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, openNotebook } from './support/browser.mjs';
import { makeTree } from './support/tree.mjs';

let browser;
const open = (t, options) => openNotebook(t, browser, { workspace: makeTree(t, { 'a.txt': 'a', 'b.txt': 'b' }), ...options });

// Loading Python takes long: the tests of an isolated page share one, and each leaves it ready.
let notebook;
const cleanups = [];
const file = { after: (cleanup) => cleanups.unshift(cleanup) };
before(async () => {
  browser = await launch();
  notebook = await open(file);
});
after(async () => {
  for (const cleanup of cleanups) await cleanup();
  await browser?.close();
});
const started = (notebook, text) => notebook.page.waitForFunction((wanted) => pysolate.output.text.includes(wanted), text);

test('a pending call: the wait is rejected at the call\'s own line', async () => {
  await notebook.start('print("go")\ntext = workspace.read_text("a.txt")\nprint("never")\n', { delay: 10_000 });
  await started(notebook, 'go');
  await notebook.stop();
  const { result, stdout, failure } = await notebook.finish();
  assert.equal(result.exception.type, 'KeyboardInterrupt');
  assert.equal(result.exception.line, 2);
  assert.equal(stdout, 'go\n');
  assert.match(failure, /line 2/);
  const next = await notebook.run('print(workspace.read_text("b.txt"))', { delay: 0 });
  assert.equal(next.stdout, 'b\n', 'the same Python goes on');
  assert.deepEqual(next.remarks, []);
});

test('an endless loop on an isolated page: Python is interrupted and lives on', async () => {
  assert.equal(await notebook.page.evaluate(() => crossOriginIsolated), true);
  await notebook.start('print("go", flush=True)\nn = 0\nwhile True:\n    n += 1\n');
  await started(notebook, 'go');
  await notebook.stop();
  const { result, failure } = await notebook.finish();
  assert.equal(result?.exception.type, 'KeyboardInterrupt');
  assert.match(failure, /line [34]/);
  const next = await notebook.run('print("again")');
  assert.equal(next.stdout, 'again\n');
});

test('an endless loop without isolation: Python is replaced, and the page says that names are gone', async (t) => {
  const notebook = await open(t, { serve: { isolated: false } });
  assert.equal(await notebook.page.evaluate(() => crossOriginIsolated), false);
  await notebook.start('print("go", flush=True)\nwhile True:\n    pass\n');
  await started(notebook, 'go');
  await notebook.stop();
  const { result, remarks } = await notebook.finish();
  assert.equal(result, null);
  assert.match(remarks.at(-1), /restarted.*names of earlier runs are gone/);
  await notebook.ready();
  const next = await notebook.run('print(workspace.read_text("a.txt"))');
  assert.equal(next.stdout, 'a\n');
});

test('a program that swallows the interrupt is ended by a second Stop', async () => {
  await notebook.start('print("go")\nwhile True:\n    try:\n        sleep(30)\n    except KeyboardInterrupt:\n        print("no")\n');
  await started(notebook, 'go');
  await notebook.stop();
  await started(notebook, 'no');
  await notebook.stop();
  const { result } = await notebook.finish();
  assert.equal(result, null);
  await notebook.ready();
  assert.equal((await notebook.run('print("fine")')).stdout, 'fine\n');
});

test('the page answers while Python computes', async () => {
  await notebook.start('print("go", flush=True)\nwhile True:\n    sum(range(100000))\n');
  await started(notebook, 'go');
  // The page's own work goes on: frames are drawn and typed text arrives, while the run is under way.
  const frames = await notebook.page.evaluate(() => new Promise((resolve) => {
    let n = 0;
    const next = () => (++n === 20 ? resolve(n) : requestAnimationFrame(next));
    next();
  }));
  assert.equal(frames, 20);
  await notebook.page.locator('#editor').click();
  await notebook.page.keyboard.type('# typed meanwhile\n');
  assert.match(await notebook.page.evaluate(() => pysolate.editor.text), /typed meanwhile/);
  assert.equal(await notebook.page.evaluate(() => pysolate.session.state), 'running');
  await notebook.stop();
  await notebook.finish();
});

test('a server that dies is an error at the call, not a hang', async () => {
  await notebook.start('print("go")\nworkspace.read_text("a.txt")\n', { delay: 10_000 });
  await started(notebook, 'go');
  await notebook.server.close();
  const { result } = await notebook.finish();
  assert.equal(result.exception.type, 'ConnectionError');
  assert.match(result.exception.message, /connection to the workspace server was lost/);
});
