// The viewer's element in Chromium: the same scripts as natively, live tail, idle frames, density, the twin in words.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { startServer } from '../../web/server/server.mjs';
import { SITE, launch } from '../web/support/browser.mjs';
import { PROJECT } from '../web/support/packages.mjs';
import { countStates } from '../web/support/pixels.mjs';

const SCRIPTS = join(PROJECT, 'tests', 'viz', 'ui');
const golden = (name) => readFileSync(join(PROJECT, 'tests', 'golden', `${name}.jsonl`), 'utf8');

let browser;
let server;

before(async () => {
  browser = await launch();
  server = await startServer({ site: SITE, workspace: PROJECT });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

// A page with nothing but the element, under the site's own content security policy.
async function open(t, { width = 1200, height = 760, density = 1 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: density });
  const page = await context.newPage();
  t.after(() => context.close());
  await page.route('**/alone.html', (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>viewer</title><body>' }));
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(new URL('alone.html', server.url).href);
  await page.evaluate(async ([w, h]) => {
    await import('/viewer/pysolate-viewer.mjs');
    const viewer = document.createElement('pysolate-viewer');
    Object.assign(viewer.style, { position: 'fixed', left: '0', top: '0', width: `${w}px`, height: `${h}px` });
    document.body.append(viewer);
    globalThis.viewer = viewer;
    await viewer.ready;
  }, [width, height]);
  return { page, complaints };
}

for (const name of readdirSync(SCRIPTS).filter((entry) => entry.endsWith('.script'))) {
  test(`the script ${name} passes in the page`, async (t) => {
    const script = readFileSync(join(SCRIPTS, name), 'utf8');
    const [, trace] = /^# trace: (\S+)/m.exec(script);
    const { page, complaints } = await open(t, { width: 1440, height: 900 });
    const result = await page.evaluate(async ([text, steps]) => {
      await viewer.openBytes(text, 'trace.jsonl');
      return viewer.script(steps);
    }, [golden(trace), script]);
    assert.ok(result.ok, result.log);
    assert.deepEqual(complaints, []);
  });
}

test('a live tail is drawn as it comes, in lines cut anywhere, and ends like the whole file', async (t) => {
  const { page } = await open(t);
  const text = golden('city_chains');
  await page.evaluate(async (whole) => {
    await viewer.tail(null, 'live');
    for (let from = 0; from < whole.length; from += 701) await viewer.tail(whole.slice(from, from + 701));
  }, text);
  await page.waitForFunction(() => viewer.state().ended && viewer.state().cursor === viewer.state().last);
  const live = await page.evaluate(() => viewer.state());
  await page.evaluate((whole) => viewer.openBytes(whole), text);
  const whole = await page.evaluate(() => viewer.state());
  assert.deepEqual(live.calls, whole.calls);
  assert.deepEqual(live.attempts, whole.attempts);
});

test('the canvas shows the states in their colours', async (t) => {
  const { page } = await open(t);
  await page.evaluate(async (text) => {
    await viewer.openBytes(text);
    await viewer.goTo(60);
  }, golden('city_chains'));
  await page.waitForFunction(() => viewer.state().cursor === 60);
  const counts = await countStates(browser, await page.screenshot(), 'dark');
  assert.ok(counts.dispatched > 500 && counts.succeeded > 500, JSON.stringify(counts));
});

test('no frame is drawn while nothing changes, and a move of the pointer draws few', async (t) => {
  const { page } = await open(t);
  await page.evaluate((text) => viewer.openBytes(text), golden('city_chains'));
  await page.waitForTimeout(1500);
  const before = await page.evaluate(() => viewer.frames);
  await page.waitForTimeout(5000);
  assert.equal(await page.evaluate(() => viewer.frames), before);
  await page.mouse.move(600, 300);
  await page.waitForTimeout(1500);
  const drawn = (await page.evaluate(() => viewer.frames)) - before;
  assert.ok(drawn > 0 && drawn < 20, `${drawn} frames`);
});

test('the canvas has the density of the screen', async (t) => {
  for (const density of [1, 1.5, 2]) {
    const { page } = await open(t, { width: 900, height: 600, density });
    const size = await page.evaluate(() => {
      const canvas = viewer.shadowRoot.querySelector('canvas');
      return [canvas.width, canvas.height];
    });
    assert.deepEqual(size, [900 * density, 600 * density]);
  }
});

test('keys count only while the canvas has the focus, and the browser keeps its own', async (t) => {
  const { page } = await open(t);
  await page.evaluate((text) => viewer.openBytes(text), golden('city_chains'));
  await page.keyboard.press('Home');
  assert.equal(await page.evaluate(() => viewer.state().cursor), 132);
  await page.mouse.click(600, 730);
  await page.keyboard.press('Home');
  await page.waitForFunction(() => viewer.state().cursor === 0);
  const kept = await page.evaluate(() => {
    const canvas = viewer.shadowRoot.querySelector('canvas');
    const event = new KeyboardEvent('keydown', { code: 'KeyR', key: 'r', ctrlKey: true, cancelable: true, bubbles: true });
    return canvas.dispatchEvent(event);
  });
  assert.ok(kept, 'Ctrl+R is not taken');
});

test('the twin says in words where the cursor is, and has every command as a button', async (t) => {
  const { page } = await open(t);
  await page.evaluate(async (text) => {
    await viewer.openBytes(text);
    await viewer.goTo(22);
  }, golden('city_chains'));
  await page.waitForFunction(() => viewer.shadowRoot.querySelector('tr[aria-current]')?.textContent.includes('dispatch'));
  const { live, buttons, commands } = await page.evaluate(() => ({
    live: viewer.shadowRoot.querySelector('.live').textContent,
    buttons: [...viewer.shadowRoot.querySelectorAll('.commands button')].map((button) => button.dataset.command),
    commands: viewer.commands().map((command) => command.id),
  }));
  assert.ok(live.length > 10, live);
  assert.deepEqual(buttons, commands);
  await page.evaluate(() => viewer.shadowRoot.querySelector('[data-command="go.start"]').click());
  await page.waitForFunction(() => viewer.state().cursor === 0);
});

test('a malformed line rejects with its number, what came before stays shown', async (t) => {
  const { page } = await open(t);
  const lines = golden('city_chains').split('\n');
  lines[40] = 'nonsense';
  const message = await page.evaluate((text) => viewer.openBytes(text, 'bad.jsonl').then(() => '', (error) => error.message), lines.join('\n'));
  assert.match(message, /bad\.jsonl:41:/);
  assert.equal(await page.evaluate(() => viewer.state().events), 40);
});
