// Takes the README's pictures anew: the page after a run in Chromium, and the native window under Xvfb.
//
//   node web/pictures/take.mjs        after ./tests/run.sh or the builds that it names
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { launch, openNotebook } from '../../tests/web/support/browser.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const PROJECT = resolve(HERE, '..', '..');

// A program that a person would want.
const PROGRAM = `# Which headers of the core are included where?
import re

headers = [p for p in workspace.list("core/include/pysolate") if p.endswith(".h")]
sources = workspace.glob("core/sched/*.cc")

used = {}
for path in sources:
    text = workspace.read_text(path)
    for name in re.findall(r'#include "pysolate/(\\w+\\.h)"', text):
        used.setdefault(name, []).append(path.split("/")[-1])

for name in sorted(used, key=lambda n: -len(used[n])):
    head = workspace.read_text(f"core/include/pysolate/{name}").splitlines()[0]
    print(f"{len(used[name]):>3}  {name:<14} {head[3:60]}")
`;

const closers = [];
const t = { after: (close) => closers.push(close) };
const browser = await launch();
const folder = mkdtempSync(join(tmpdir(), 'pysolate-pictures-'));
try {
  const notebook = await openNotebook(t, browser, { workspace: PROJECT, context: { viewport: { width: 1440, height: 900 } } });
  const run = await notebook.run(PROGRAM, { delay: 120, budget: 8 });
  if (run.failure) throw new Error(run.failure);
  const last = run.trace.at(-1);
  // Somewhere in the middle: some calls done, some running, the others held back by the budget.
  const middle = run.trace.findLast((event) => event.seq < run.trace.find((e) => e.t >= last.t * 0.4 && e.k === 'complete').seq);
  await notebook.page.evaluate((seq) => document.querySelector('pysolate-viewer').goTo(seq), middle.seq);
  await notebook.page.waitForTimeout(1000);
  await notebook.page.screenshot({ path: join(HERE, 'page.png') });

  const trace = join(folder, 'headers.jsonl');
  writeFileSync(trace, run.text);
  execFileSync(join(PROJECT, 'build', 'native', 'pysolate'), ['check', trace], { stdio: 'inherit' });
  execFileSync('xvfb-run', ['-a', '-s', '-screen 0 2880x1800x24', join(PROJECT, 'build', 'native', 'pysolate-view'), trace,
    '--at', String(middle.seq), '--theme', 'light', '--select', '10', '--screenshot', join(HERE, 'viewer.png'), '--size', '1440x900', '--scale', '1'], { stdio: 'inherit' });
} finally {
  for (const close of closers) await close();
  await browser.close();
  rmSync(folder, { recursive: true });
}
