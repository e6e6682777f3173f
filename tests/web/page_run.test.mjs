// Programs in the page: what they print, raise and write, overlapped and one call after another.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { launch, measure, openNotebook } from './support/browser.mjs';
import { startOrigin } from './support/origin.mjs';
import { makeTree } from './support/tree.mjs';

const FILES = {
  'README.md': '# A workspace\n\nfor tests\n',
  'LICENSE': 'MIT License\n\nall of it\n',
  ...Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`part${i}.txt`, `part ${i}\n`.repeat(i + 1)])),
  ...Object.fromEntries(['oslo', 'lima', 'quito', 'rome', 'bern', 'cairo'].map((city, i) => [`notes/${city}.md`, `# ${city}\nsee facts/${i}.txt\n`])),
  ...Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`facts/${i}.txt`, `fact number ${i}. `.repeat(20)])),
};

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

const TWO_READS = `readme = workspace.read_text("README.md")
terms = workspace.read_text("LICENSE")
print(readme.splitlines()[0], "/", terms.splitlines()[0])
`;

const EIGHT_READS = `parts = [workspace.read_text(f"part{i}.txt") for i in range(8)]
print(sum(len(part) for part in parts))
`;

// search -> read -> "summarize" (another read, named by the text)
const SIX_CHAINS = `cities = ["oslo", "lima", "quito", "rome", "bern", "cairo"]
for city in cities:
    hits = workspace.grep("# " + city, "notes/*.md")
    note = workspace.read_text(hits[0]["path"])
    fact = workspace.read_text(note.splitlines()[1].split()[1])
    print(city, fact[:14])
`;

describe('overlap in the page', () => {
  let notebook;
  const cleanups = [];
  const group = { after: (cleanup) => cleanups.unshift(cleanup) };
  before(async () => { notebook = await openNotebook(group, browser, { workspace: makeTree(group, FILES) }); });
  after(async () => { for (const cleanup of cleanups) await cleanup(); });

  test('two reads of real files are in flight together', async () => {
    const { result, stdout, trace } = await notebook.run(TWO_READS, { delay: 300 });
    assert.equal(result.exception, null);
    assert.equal(stdout, '# A workspace / MIT License\n');
    const flight = trace.filter((event) => event.k === 'dispatch' || event.k === 'complete').map((event) => event.k);
    assert.deepEqual(flight, ['dispatch', 'dispatch', 'complete', 'complete']);
  });

  test('eight independent reads take less than two; sequentially they take the sum', async () => {
    const overlapped = await notebook.run(EIGHT_READS, { delay: 200 });
    const sequential = await notebook.run(EIGHT_READS, { delay: 200, mode: 'sequential' });
    assert.equal(overlapped.stdout, `${36 * 7}\n`);
    assert.equal(sequential.stdout, overlapped.stdout);
    const fast = measure(overlapped.trace);
    const slow = measure(sequential.trace);
    assert.equal(fast.attempts, 8);
    assert.equal(slow.attempts, 8);
    assert.ok(fast.makespan < 2 * fast.longest, `${fast.makespan} of ${fast.longest}`);
    assert.ok(slow.makespan >= slow.sum, `${slow.makespan} of ${slow.sum}`);
    assert.ok(fast.makespan < slow.makespan / 3);
  });

  test('six chains of search, read and summary take less than two chains', async () => {
    const overlapped = await notebook.run(SIX_CHAINS, { delay: 200 });
    const sequential = await notebook.run(SIX_CHAINS, { delay: 200, mode: 'sequential' });
    assert.equal(overlapped.stdout.split('\n').length, 7);
    assert.equal(sequential.stdout, overlapped.stdout);
    const fast = measure(overlapped.trace);
    const slow = measure(sequential.trace);
    assert.equal(slow.attempts, 18);
    const chain = 3 * fast.longest;
    assert.ok(fast.makespan < 2 * chain, `${fast.makespan} of ${chain}`);
    assert.ok(slow.makespan >= slow.sum);
    assert.ok(fast.makespan < slow.makespan / 2);
  });

  test('a budget of two keeps two in flight at most', async () => {
    const { trace } = await notebook.run(EIGHT_READS, { delay: 30, budget: 2 });
    let now = 0, most = 0;
    for (const { k } of trace) {
      if (k === 'dispatch') most = Math.max(most, ++now);
      if (k === 'complete') now--;
    }
    assert.equal(most, 2);
  });

  test('a read that fails raises at its own line, with the usual traceback', async () => {
    const source = 'a = workspace.read_text("README.md")\nb = workspace.read_text("none.txt")\nc = workspace.read_text("LICENSE")\nprint("not here")\n';
    for (const mode of ['overlap', 'sequential']) {
      const { result, stdout, failure } = await notebook.run(source, { mode, delay: 20 });
      assert.equal(stdout, '');
      assert.equal(result.exception.type, 'FileNotFoundError');
      assert.equal(result.exception.line, 2);
      assert.match(failure, /^Traceback \(most recent call last\):/);
      assert.match(failure, /line 2, in <module>/);
      assert.match(failure, /FileNotFoundError: no such file in the workspace: "none.txt"$/);
    }
    await notebook.page.locator('#output .failure button').first().click();
    const selected = await notebook.page.evaluate(() => pysolate.editor.view.state.doc.lineAt(pysolate.editor.view.state.selection.main.head).number);
    assert.equal(selected, 2, 'the line of the traceback leads into the editor');
  });

  test('effects happen once and in source order, though reads overlap', async () => {
    const source = `for name in ["README.md", "LICENSE", "none.txt", "part1.txt"]:
    try:
        text = workspace.read_text(name)
    except FileNotFoundError:
        journal.write(name + " is missing")
    else:
        print(journal.write(name + " " + str(len(text))))
`;
    const expected = [...['README.md', 'LICENSE'].map((name) => `${name} ${FILES[name].length}`), 'none.txt is missing', `part1.txt ${FILES['part1.txt'].length}`];
    for (const mode of ['overlap', 'sequential']) {
      const { journal, stdout, trace } = await notebook.run(source, { mode, delay: 50 });
      assert.deepEqual(journal, expected);
      assert.equal(stdout, '1\n2\n4\n');
      const tool = trace.find((event) => event.k === 'tool' && event.name === 'journal.write').tool;
      const writes = new Set(trace.filter((event) => event.k === 'arrive' && event.tool === tool).map((event) => event.call));
      const early = trace.filter((event) => event.k === 'dispatch' && writes.has(event.call) && event.early);
      assert.deepEqual(early, []);
    }
  });

  test('a second run starts clean', async () => {
    await notebook.run('left_over = workspace.read_text("README.md")\njournal.write("one")\nprint("first")');
    const { stdout, journal, result, trace } = await notebook.run('print("left_over" in globals())');
    assert.equal(stdout, 'False\n');
    assert.deepEqual(journal, []);
    assert.equal(result.ok, true);
    assert.equal(trace[0].k, 'run');
    assert.equal(trace.filter((event) => event.k === 'run').length, 1);
  });

  test('bytes, lists and odd names cross the border unchanged', async () => {
    const { stdout } = await notebook.run('print(workspace.read_bytes("part0.txt"), workspace.list("facts"), workspace.exists("no"), len(workspace.glob("**/*.md")))');
    assert.equal(stdout, `b'part 0\\n' ['0.txt', '1.txt', '2.txt', '3.txt', '4.txt', '5.txt'] False 7\n`);
  });

  test('nothing that a program prints is read as HTML', async () => {
    const { stdout } = await notebook.run('print("<img src=x onerror=alert(1)><b>bold</b>")');
    assert.equal(stdout, '<img src=x onerror=alert(1)><b>bold</b>\n');
    assert.equal(await notebook.page.locator('#output img, #output b').count(), 0);
  });

  test('a syntax error names its line', async () => {
    const { result, failure } = await notebook.run('a = 1\nb = (\n');
    assert.equal(result.exception.type, 'SyntaxError');
    assert.match(failure, /line 2/);
  });

  test('the page broke neither its policy nor itself', () => {
    assert.deepEqual(notebook.complaints, []);
  });
});

test('a file that changes under a running program is reported by name', async (t) => {
  const workspace = makeTree(t, FILES);
  const notebook = await openNotebook(t, browser, { workspace });
  await notebook.start('import time\nprint(workspace.read_text("README.md")[:3])\nsleep(1)\nworkspace.read_text("LICENSE" + "")\n', { mode: 'sequential' });
  await notebook.page.waitForFunction(() => pysolate.output.text.includes('# A'));
  appendFileSync(join(workspace, 'LICENSE'), 'changed');
  const { result, failure, remarks } = await notebook.finish();
  assert.equal(result.exception.type, 'OSError');
  assert.match(failure, /"LICENSE" is no longer what the snapshot saw/);
  assert.ok(remarks.some((text) => text.startsWith('LICENSE changed')), remarks.join());
});

test('fetch reaches the origins that the user named, in source order, and no other', async (t) => {
  const origin = await startOrigin(t, { delay: 50 });
  const other = await startOrigin(t);
  const notebook = await openNotebook(t, browser, { workspace: makeTree(t, FILES), serve: { connect: [origin.url] } });
  const { stdout } = await notebook.run(`texts = [fetch("${origin.url}/" + name) for name in ["a", "b", "c"]]\nprint(texts)\n`);
  assert.equal(stdout, "['page /a', 'page /b', 'page /c']\n");
  assert.deepEqual(origin.seen, ['/a', '/b', '/c'], 'an open read is never early, never repeated and never overtakes another');
  assert.equal(origin.most, 1);

  const missing = await notebook.run(`fetch("${origin.url}/missing")`);
  assert.equal(missing.result.exception.type, 'OSError');
  assert.match(missing.result.exception.message, /HTTP 404/);
  const refused = await notebook.run(`fetch("${other.url}/a")`);
  assert.equal(refused.result.exception.type, 'ConnectionError');
  assert.match(refused.result.exception.message, /--connect/);
  assert.deepEqual(other.seen, []);
  for (const url of ['file:///etc/passwd', 'ftp://x', 'javascript:1']) {
    assert.equal((await notebook.run(`fetch("${url}")`)).result.exception.type, 'ValueError', url);
  }
});

test('an origin that the user declared immutable is fetched ahead, six at once at most', async (t) => {
  const origin = await startOrigin(t, { delay: 200 });
  const notebook = await openNotebook(t, browser, { workspace: makeTree(t, FILES), serve: { connect: [origin.url] } });
  const source = `pages = [fetch(f"${origin.url}/{i}") for i in range(12)]\nprint(len(pages), pages[11])\n`;
  const overlapped = await notebook.run(source, { origins: origin.url });
  assert.equal(overlapped.stdout, '12 page /11\n');
  const classes = overlapped.trace.filter((event) => event.k === 'class');
  assert.deepEqual(classes.map(({ name, limit }) => [name, limit]), [[`net ${origin.url}`, 6]]);
  let now = 0, most = 0;
  for (const { k } of overlapped.trace) {
    if (k === 'dispatch') most = Math.max(most, ++now);
    if (k === 'complete') now--;
  }
  assert.ok(most > 2 && most <= 6, `${most} at once`);
  assert.ok(origin.most <= 6);
  const sequential = await notebook.run(source, { origins: origin.url, mode: 'sequential' });
  assert.equal(sequential.stdout, overlapped.stdout);
  assert.ok(measure(overlapped.trace).makespan < measure(sequential.trace).makespan / 2);
});
