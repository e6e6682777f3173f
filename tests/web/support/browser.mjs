// The real page in a real Chromium, as tests see it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { startServer } from '../../../web/server/server.mjs';
import { PROJECT, need } from './packages.mjs';

const { chromium } = need('playwright-core');

export const SITE = process.env.PYSOLATE_SITE ?? join(PROJECT, 'build', 'site');

// WebGL2 without a GPU, and no traffic of the browser's own.
export const CHROMIUM_ARGS = [
  '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic',
];

const LOAD_MS = 180_000;  // Python and viewer on a loaded machine; a limit, not an expectation

// A browser for a whole test file.
export async function launch() {
  if (!existsSync(join(SITE, 'index.html'))) throw new Error(`no page in ${SITE}; build it with: node web/build.mjs`);
  return chromium.launch({ executablePath: process.env.PYSOLATE_CHROMIUM ?? '/usr/bin/chromium', args: CHROMIUM_ARGS });
}

// Serves the page over `workspace` and opens it. -> Notebook, ready to run unless `wait` is false.
// `init`: script that every page of it runs first; `block`, `abort`: patterns of addresses that never answer, or fail.
export async function openNotebook(t, browser, { workspace, serve = {}, context = {}, wait = true, init, block = [], abort = [] } = {}) {
  const server = await startServer({ site: SITE, workspace, ...serve });
  const ctx = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark', ...context });
  if (init) await ctx.addInitScript(init);
  for (const pattern of block) await ctx.route(pattern, () => {});
  for (const pattern of abort) await ctx.route(pattern, (route) => route.abort());
  const page = await ctx.newPage();
  const notebook = new Notebook(page, server);
  t.after(async () => {
    await ctx.close();
    await server.close();
  });
  await page.goto(server.url);
  if (wait) await notebook.ready();
  return notebook;
}

export class Notebook {
  constructor(page, server) {
    this.page = page;
    this.server = server;
    this.complaints = [];  // errors of the page and refusals of its policy
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  // Python can run and the viewer is there.
  async ready() {
    await this.page.waitForFunction(() => globalThis.pysolate && ['ready', 'failed'].includes(pysolate.session.state), null, { timeout: LOAD_MS });
    const state = await this.page.evaluate(() => pysolate.session.state);
    if (state !== 'ready') throw new Error(`Python was not loaded: ${await this.page.locator('#output').innerText()}`);
    await this.page.evaluate(() => pysolate.graph.ready);
  }

  // Fills in the controls as a user would, and presses Run. Does not wait. `source` null: what is in the editor.
  async start(source, { mode = 'overlap', budget = '', delay = 0, speculate = false, origins = '' } = {}) {
    const { page } = this;
    await page.evaluate((text) => {
      if (text !== null) pysolate.editor.text = text;
      globalThis.done = new Promise((resolve) => {
        const finish = (event) => {
          pysolate.session.removeEventListener('done', finish);
          pysolate.session.removeEventListener('lost', finish);
          resolve(event.type === 'done' ? event.detail.result : null);
        };
        pysolate.session.addEventListener('done', finish);
        pysolate.session.addEventListener('lost', finish);
      });
    }, source);
    await page.locator(`input[name=mode][value=${mode}]`).check();
    await page.locator('#budget').fill(String(budget));
    await page.locator('#delay').fill(String(delay));
    await page.locator('#speculate').setChecked(speculate);
    if (origins) {
      await page.evaluate(() => { document.getElementById('more').open = true; });
      await page.locator('#origins').fill(origins);
    }
    await page.locator('#run').click();
  }

  // The end of the run: {result, stdout, failure, journal, trace, text}; result is null if the worker was replaced.
  async finish() {
    const result = await this.page.evaluate(() => globalThis.done);
    const text = await this.page.evaluate(() => pysolate.graph.text);
    return {
      result,
      stdout: await this.page.evaluate(() => pysolate.output.text),
      failure: (await this.page.locator('#output .failure').allTextContents()).join('\n'),
      remarks: await this.page.locator('#output .remark').allTextContents(),
      journal: await this.page.locator('#entries li').allTextContents(),
      text,
      trace: text.split('\n').filter(Boolean).map((line) => JSON.parse(line)),
    };
  }

  async run(source, options) {
    await this.start(source, options);
    return this.finish();
  }

  async stop() {
    await this.page.locator('#stop').click();
  }
}

// What a trace says about time and calls, in its own clock.
export function measure(trace) {
  const started = new Map();
  const spans = [];
  for (const event of trace) {
    if (event.k === 'dispatch') started.set(event.attempt, event.t);
    if (event.k === 'complete' || event.k === 'fail') spans.push(event.t - started.get(event.attempt));
  }
  const last = trace.findLast((event) => event.k === 'end') ?? trace.at(-1);
  const first = trace.find((event) => event.k === 'dispatch');
  return {
    attempts: spans.length,
    longest: Math.max(...spans),
    sum: spans.reduce((a, b) => a + b, 0),
    makespan: last.t - first.t,
    count: (kind) => trace.filter((event) => event.k === kind).length,
  };
}
