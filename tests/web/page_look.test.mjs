// The page for everybody: by keyboard, zoomed in, in both themes, and for assistive technology.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { launch, openNotebook } from './support/browser.mjs';
import { need } from './support/packages.mjs';
import { makeTree } from './support/tree.mjs';

const AXE = readFileSync(need.resolve('axe-core/axe.min.js'), 'utf8');

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const open = (t, context, more = {}) => openNotebook(t, browser, { workspace: makeTree(t, { 'README.md': '# Title\n', LICENSE: 'MIT\n' }), context, wait: false, ...more });

async function axe(notebook) {
  const { page } = notebook;
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`);
}

for (const colorScheme of ['dark', 'light']) {
  test(`axe finds nothing, ${colorScheme} theme, before and after a failed run`, async (t) => {
    const notebook = await open(t, { colorScheme }, { init: AXE });
    assert.deepEqual(await axe(notebook), []);
    await notebook.ready();
    await notebook.run('journal.write("entry")\nprint("some output")\nworkspace.read_text("none")');
    assert.deepEqual(await axe(notebook), []);
  });
}

test('the system\'s theme is followed until one is chosen, and the choice lasts', async (t) => {
  const { page } = await open(t, { colorScheme: 'light' });
  const ground = () => page.evaluate(() => getComputedStyle(document.querySelector('.pane')).backgroundColor);
  assert.equal(await ground(), 'rgb(255, 255, 255)');
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await ground(), 'rgb(20, 23, 28)');
  await page.locator('#theme').selectOption('light');
  assert.equal(await ground(), 'rgb(255, 255, 255)');
  await page.reload();
  await page.waitForFunction(() => globalThis.pysolate);
  assert.equal(await ground(), 'rgb(255, 255, 255)');
});

for (const [what, width, height] of [['a 1024 pixel wide screen', 1024, 768], ['1280x800 at 400 % zoom', 320, 200], ['1280x800 at 200 % zoom', 640, 400]]) {
  test(`${what} shows every control without scrolling sideways`, async (t) => {
    const { page } = await open(t, { viewport: { width, height } });
    await page.waitForFunction(() => globalThis.pysolate);
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(sideways <= 0, `${sideways} px too wide`);
    for (const id of ['run', 'stop', 'budget', 'delay', 'speculate', 'open', 'download', 'sample', 'theme', 'editor', 'output', 'stage']) {
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box && box.width > 10 && box.height > 10, `${id} is not there`);
      assert.ok(box.x >= 0 && box.x + box.width <= width, `${id} is cut: ${JSON.stringify(box)}`);
    }
  });
}

test('everything can be reached and used by keyboard alone', async (t) => {
  const notebook = await open(t);
  const { page } = notebook;
  await notebook.ready();
  const reached = [];
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    const id = await page.evaluate(() => document.activeElement.id || document.activeElement.name || document.activeElement.tagName.toLowerCase());
    if (reached.includes(id) && id === reached[0]) break;
    reached.push(id);
    if (id === 'editor') await page.keyboard.press('Escape');  // then Tab leaves the editor, as its label says
  }
  for (const id of ['sample', 'theme', 'run', 'mode', 'budget', 'delay', 'speculate', 'editor', 'output', 'divider', 'open']) assert.ok(reached.includes(id), `${id} is not among ${reached.join(' ')}`);

  await page.locator('#skip').focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'editor');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('print(workspace.read_text("README.md"))');
  const done = page.evaluate(() => new Promise((resolve) => pysolate.session.addEventListener('done', resolve, { once: true })).then(() => pysolate.output.text));
  await page.keyboard.press('Control+Enter');
  assert.equal(await done, '# Title\n\n');

  const width = () => page.locator('#cell').evaluate((cell) => cell.getBoundingClientRect().width);
  const before = await width();
  await page.locator('#divider').focus();
  await page.keyboard.press('ArrowRight');
  assert.ok(await width() > before);
});

test('the first paint waits for neither Python nor the viewer', async (t) => {
  const notebook = await open(t, {}, { block: ['**/pyodide/**', '**/core/**', '**/viewer/**'] });
  const { page } = notebook;
  await page.waitForFunction(() => globalThis.pysolate);
  assert.match(await page.evaluate(() => pysolate.editor.text), /workspace\.read_text/);
  assert.match(await page.locator('#status').innerText(), /Loading Python/);
  assert.equal(await page.locator('#run').isDisabled(), true);
  const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint').length);
  assert.equal(painted, 1);
});

test('a part of Python that can\'t be loaded is said, and the editor stays usable', async (t) => {
  const notebook = await open(t, {}, { abort: ['**/python_stdlib.zip'] });
  await notebook.page.waitForFunction(() => pysolate.session.state === 'failed', null, { timeout: 60_000 });
  assert.match(await notebook.page.locator('#output').innerText(), /Python could not be loaded/);
  assert.equal(await notebook.page.locator('#run').isDisabled(), true);
});
