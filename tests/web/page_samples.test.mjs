// The sample programs do what they say, on a small project, in both modes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, measure, openNotebook } from './support/browser.mjs';
import { makeTree } from './support/tree.mjs';

const FILES = {
  'README.md': '# Shop\n\nA small shop.\n',
  LICENSE: 'MIT License\n\nCopyright\n',
  'CMakeLists.txt': 'project(Shop)\n',
  'core/include/shop/cart.h': '#include "shop/price.h"\n',
  'core/include/shop/price.h': '#include <vector>\n#include "shop/money.h"\n',
  'core/include/shop/money.h': '// cents\n',
  'core/cart.cc': '#include "shop/cart.h"\n#include "detail.h"\n#include "gone.h"\n',
  'core/detail.h': '#include "shop/money.h"\n',
  'tools/a.py': 'import sys\n\nfor line in sys.stdin:\n    print(line.upper())\n',
  'tools/b.py': 'import sys\n\nfor line in sys.stdin:\n    print(line.lower())\n',
  'tools/c.py': '# TODO: write this\n',
};

let browser, notebook;
const cleanups = [];
const file = { after: (cleanup) => cleanups.unshift(cleanup) };
before(async () => {
  browser = await launch();
  notebook = await openNotebook(file, browser, { workspace: makeTree(file, FILES) });
});
after(async () => {
  for (const cleanup of cleanups) await cleanup();
  await browser?.close();
});

// Chooses the sample in the page's list and runs it in both modes; what is observed must be equal.
async function runSample(title, delay = 40) {
  await notebook.page.locator('#sample').selectOption({ label: title });
  const overlapped = await notebook.run(null, { delay });
  const sequential = await notebook.run(null, { delay, mode: 'sequential' });
  for (const run of [overlapped, sequential]) assert.equal(run.result.exception, null, run.failure);
  assert.equal(overlapped.stdout, sequential.stdout);
  assert.deepEqual(overlapped.journal, sequential.journal);
  return { ...overlapped, fast: measure(overlapped.trace), slow: measure(sequential.trace) };
}

test('two reads', async () => {
  const { stdout, fast, slow } = await runSample('Two reads', 200);
  assert.equal(stdout, '3 lines of README\nTerms: MIT License\n');
  assert.ok(fast.makespan < slow.makespan);
});

test('summarize a source tree: files and lines by folder, longest files, TODO lines', async () => {
  const { stdout, fast, slow } = await runSample('Summarize a source tree', 200);
  assert.match(stdout, /^core +4 +5$/m);
  assert.match(stdout, /^tools +3 +9$/m);
  assert.match(stdout, /1 lines say TODO\n {2}tools\/c\.py:1 {2}# TODO: write this\n$/);
  assert.ok(fast.makespan < slow.makespan / 2, `${fast.makespan} of ${slow.makespan}`);
});

test('follow includes: every header that is reached, and by whom', async () => {
  const { stdout } = await runSample('Follow includes');
  assert.match(stdout, /^core\/cart\.cc <- \(start\)$/m);
  assert.match(stdout, /^core\/include\/shop\/cart\.h <- core\/cart\.cc$/m);
  assert.match(stdout, /^core\/detail\.h <- core\/cart\.cc$/m);
  assert.match(stdout, /^core\/include\/shop\/price\.h <- core\/include\/shop\/cart\.h$/m);
  assert.match(stdout, /^core\/include\/shop\/money\.h <- /m);
  assert.doesNotMatch(stdout, /gone/);
});

test('compare files: the most alike first, with their differences', async () => {
  const { stdout } = await runSample('Compare files');
  assert.match(stdout, /^Most alike\n +\d+% {2}tools\/a\.py {2}tools\/b\.py$/m);
  assert.match(stdout, /^- {4}print\(line\.upper\(\)\)$/m);
  assert.match(stdout, /^\+ {4}print\(line\.lower\(\)\)$/m);
});

test('keep a journal: entries in the order of the lines, each once', async () => {
  const { journal, stdout } = await runSample('Keep a journal');
  assert.deepEqual(journal, ['README.md: 22 characters', 'LICENSE: 23 characters', 'CMakeLists.txt: 14 characters', 'no/such/file.txt: missing']);
  assert.match(stdout, /^entry 1 for README\.md$/m);
});
