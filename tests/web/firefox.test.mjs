// The whole path in a real Firefox: overlap, the viewer, Stop, a second run.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startServer } from '../../web/server/server.mjs';
import { SITE, measure } from './support/browser.mjs';
import { startDisplay } from './support/display.mjs';
import { need } from './support/packages.mjs';
import { makeTree } from './support/tree.mjs';

const puppeteer = need('puppeteer-core');
const LOAD_MS = 240_000;

let display, browser, server, page;
const complaints = [];
const cleanups = [];
before(async () => {
  display = await startDisplay();
  const workspace = makeTree({ after: (cleanup) => cleanups.push(cleanup) }, Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`part${i}.txt`, `part ${i}`])));
  server = await startServer({ site: SITE, workspace });
  browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.PYSOLATE_FIREFOX ?? '/usr/bin/firefox-esr',
    headless: false,
    env: { ...process.env, DISPLAY: display.display, MOZ_HEADLESS: undefined },
    protocolTimeout: LOAD_MS,
    extraPrefsFirefox: { 'webgl.force-enabled': true, 'webgl.disabled': false },
  });
  page = await browser.newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(server.url);
  await page.waitForFunction(() => globalThis.pysolate && ['ready', 'failed'].includes(pysolate.session.state), { timeout: LOAD_MS });
  await page.evaluate(() => pysolate.graph.ready.then(() => null));
}, { timeout: LOAD_MS });
after(async () => {
  await browser?.close();
  await server?.close();
  display?.close();
  for (const cleanup of cleanups) cleanup();
});

async function start(source, { mode = 'overlap', delay = 0 } = {}) {
  await page.evaluate((text, wanted, ms) => {
    pysolate.editor.text = text;
    document.querySelector(`input[name=mode][value=${wanted}]`).checked = true;
    document.getElementById('delay').value = String(ms);
    globalThis.done = new Promise((resolve) => pysolate.session.addEventListener('done', (event) => resolve(event.detail.result), { once: true }));
  }, source, mode, delay);
  await page.locator('#run').click();
}

async function finish() {
  return page.evaluate(async () => {
    const { exception } = await globalThis.done;
    return { exception, stdout: pysolate.output.text, text: pysolate.graph.text };
  });
}

test('Python is there, with stack switching', async () => {
  assert.equal(await page.evaluate(() => pysolate.session.state), 'ready');
});

test('eight reads overlap, and take the sum sequentially', async () => {
  const source = 'parts = [workspace.read_text(f"part{i}.txt") for i in range(8)]\nprint(parts[7])\n';
  const runs = {};
  for (const mode of ['overlap', 'sequential']) {
    await start(source, { mode, delay: 200 });
    const { exception, stdout, text } = await finish();
    assert.equal(exception, null);
    assert.equal(stdout, 'part 7\n');
    runs[mode] = measure(text.split('\n').filter(Boolean).map((line) => JSON.parse(line)));
  }
  assert.ok(runs.overlap.makespan < 2 * runs.overlap.longest);
  assert.ok(runs.sequential.makespan >= runs.sequential.sum);
});

test('the viewer follows the run to its end', async () => {
  await page.waitForFunction(() => pysolate.graph.viewer?.state().ended, { timeout: 60_000 });
  const { calls } = await page.evaluate(() => pysolate.graph.viewer.state());
  assert.equal(calls.arrived, 8);
});

test('Stop ends a pending call, and an endless loop', async () => {
  await start('print("go")\nworkspace.read_text("part0.txt")\n', { delay: 10_000 });
  await page.waitForFunction(() => pysolate.output.text.includes('go'));
  await page.locator('#stop').click();
  assert.equal((await finish()).exception.type, 'KeyboardInterrupt');
  await start('print("go")\nwhile True:\n    pass\n');
  await page.waitForFunction(() => pysolate.output.text.includes('go'));
  await page.locator('#stop').click();
  assert.equal((await finish()).exception.type, 'KeyboardInterrupt');
  await start('print("again")');
  assert.equal((await finish()).stdout, 'again\n');
});

test('the page broke nothing', () => {
  assert.deepEqual(complaints, []);
});
