// The page: wires the program, its run, its output and its graph together. First paint needs only HTML and CSS; Python and
// the viewer load after it, side by side.

import { installDivider } from './divider.mjs';
import { Editor } from './editor.mjs';
import { Graph } from './graph.mjs';
import { Output } from './output.mjs';
import { SAMPLES } from './samples/index.mjs';
import { Session } from './session.mjs';
import { installTheme } from './theme.mjs';
import { TOOL_HELP } from '../worker/tool_help.mjs';

const $ = (id) => document.getElementById(id);

let program = SAMPLES[0];   // what is in the editor, by name
let running = null;         // {name, started} of the run on show
let restarted = false;      // the worker was replaced since the last run

const output = new Output($('output'), (line) => editor.goToLine(line));
const editor = new Editor($('editor'), {
  completions: TOOL_HELP,
  onRun: run,
  onStop: stop,
  onChange: () => { if (program.source !== undefined) program = { ...program, source: undefined }; },
});
const graph = new Graph($('stage'), ({ lines, name }) => {
  $('download').disabled = graph.lines === 0;
  setStatus($('trace-status'), lines ? `${name} · ${lines} events` : '');
});
graph.ready.then((viewer) => viewer?.addEventListener('open-request', () => $('open').click()));
const session = new Session(new URL('./worker.js', import.meta.url));

// ---- program

for (const [i, sample] of SAMPLES.entries()) $('sample').append(new Option(sample.title, i));
$('sample').addEventListener('change', () => choose(SAMPLES[$('sample').value]));

function choose(sample) {
  editor.text = sample.source.trimEnd();
  program = sample;
  editor.markLine(0);
}
choose(program);

$('skip').addEventListener('click', (event) => {
  event.preventDefault();
  editor.focus();
});

// ---- run and stop

$('run').addEventListener('click', run);
$('stop').addEventListener('click', stop);
document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return;
  if (event.key === 'Enter') run();
  else if (event.key === '.') stop();
  else return;
  event.preventDefault();
});

function run() {
  if (session.state !== 'ready') return;
  const immutableOrigins = readOrigins();
  const invalid = [$('budget'), $('delay'), $('origins')].find((input) => !input.checkValidity());
  if (invalid) {
    if (invalid === $('origins')) $('more').open = true;
    return invalid.reportValidity();
  }
  output.clear();
  if (restarted) output.remark('Python was restarted: names of earlier runs are gone.');
  restarted = false;
  clearJournal();
  hideBanner();
  editor.markLine(0);
  running = { name: program.name, started: performance.now() };
  graph.begin(program.name);
  session.run(editor.text, {
    program: program.name,
    mode: document.querySelector('input[name=mode]:checked').value,
    budget: $('budget').value === '' ? null : Number($('budget').value),
    delay: $('delay').value === '' ? 0 : Number($('delay').value),
    speculate: $('speculate').checked,
    immutableOrigins,
  });
}

// The origins that the user declared immutable, each as a browser writes it.
function readOrigins() {
  const input = $('origins');
  input.setCustomValidity('');
  return input.value.split(/[\s,]+/).filter(Boolean).map((text) => {
    const origin = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text).origin : null;
    if (!origin) input.setCustomValidity(`"${text}" is no origin; one looks like https://docs.example.org`);
    return origin;
  });
}
$('more').addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !$('more').open) return;
  $('more').open = false;
  $('more').firstElementChild.focus();
});
document.addEventListener('pointerdown', (event) => {
  if (!$('more').contains(event.target)) $('more').open = false;
});
$('origins').addEventListener('input', () => $('origins').setCustomValidity(''));

function stop() {
  if (session.state !== 'running') return;
  setStatus($('status'), 'Stopping…');
  session.stop();
}

session.addEventListener('state', ({ detail }) => showState(detail));
showState({ state: session.state });

function showState({ state, error }) {
  document.body.dataset.state = state;
  $('run').disabled = state !== 'ready';
  $('stop').disabled = state !== 'running';
  $('progress').hidden = state !== 'loading';
  if (state === 'loading') setStatus($('status'), 'Loading Python…');
  if (state === 'running') setStatus($('status'), 'Running…');
  if (state === 'failed') {
    setStatus($('status'), 'Python could not be loaded', 'bad');
    output.remark(`Python could not be loaded: ${error}. Reload the page to try again.`);
  }
  if (state === 'ready' && !running) setStatus($('status'), 'Ready');
}

session.addEventListener('progress', ({ detail: { fraction, what } }) => {
  $('progress').value = fraction;
  if (session.state === 'loading') setStatus($('status'), what);
});
session.addEventListener('stdout', ({ detail }) => output.write(detail.text));
session.addEventListener('stderr', ({ detail }) => output.write(detail.text, 'err'));
session.addEventListener('trace', ({ detail }) => graph.append(detail.text));
session.addEventListener('note', ({ detail }) => output.remark(detail.text));
session.addEventListener('effect', ({ detail }) => addEntry(detail.value));
session.addEventListener('workspace', ({ detail }) => showWorkspace(detail));
session.addEventListener('done', ({ detail: { result } }) => {
  if (result.exception) {
    output.failure(result.exception, running.name);
    if (result.exception.line) editor.markLine(result.exception.line);
  }
  setStatus($('status'), summary(result), result.ok ? 'good' : 'bad');
});
session.addEventListener('lost', ({ detail: { why } }) => {
  restarted = true;
  running = null;
  graph.end();
  output.remark(why ? `Python crashed (${why}) and was restarted: names of earlier runs are gone.` : 'The program did not answer. Python was restarted: names of earlier runs are gone.');
});

function summary({ ok, mode, exception, seconds, report }) {
  const how = ok ? 'Done in' : exception?.type === 'KeyboardInterrupt' ? 'Stopped after' : `${exception?.type ?? 'Failed'} after`;
  const parts = [`${how} ${seconds.toFixed(2)} s`];
  const reached = report?.calls?.reached;
  if (reached) parts.push(`${reached} call${reached === 1 ? '' : 's'}, ${report.calls.promoted} started early`);
  if (mode === 'sequential') parts.push('sequential');
  return parts.join(' · ');
}

// ---- effects: what journal.write() did, in the order in which it happened

function clearJournal() {
  $('entries').replaceChildren();
  $('journal').hidden = true;
}

function addEntry(text) {
  $('journal').hidden = false;
  const item = document.createElement('li');
  item.textContent = text;
  $('entries').append(item);
}

function showWorkspace({ name, files, content, error }) {
  if (error) return $('where').replaceChildren(error);
  const code = (text) => Object.assign(document.createElement('code'), { textContent: text });
  $('where').replaceChildren('Workspace ', code(name), ` · ${files} files · snapshot `, code(content));
}

// ---- traces in and out

$('download').addEventListener('click', () => graph.download());
$('open').addEventListener('click', () => $('file').click());
$('file').addEventListener('change', () => {
  const [file] = $('file').files;
  $('file').value = '';
  if (file) openTrace(file);
});
$('banner-close').addEventListener('click', () => {
  hideBanner();
  $('open').focus();
});

async function openTrace(file) {
  hideBanner();
  try {
    const result = await graph.open(file);
    if (result.warning) showBanner(result.warning, file.name);
  } catch (error) {
    showBanner(error.message, file.name);
  }
}

function showBanner(text, name) {
  $('banner-text').textContent = text.startsWith(`${name}:`) ? text : `${name}: ${text}`;
  $('banner').hidden = false;
}

function hideBanner() {
  $('banner').hidden = true;
}

const holdsFile = (event) => event.dataTransfer?.types.includes('Files');
let depth = 0;
addEventListener('dragenter', (event) => { if (holdsFile(event)) { depth++; $('drop').hidden = false; } });
addEventListener('dragleave', (event) => { if (holdsFile(event) && --depth <= 0) { depth = 0; $('drop').hidden = true; } });
addEventListener('dragover', (event) => { if (holdsFile(event)) event.preventDefault(); });
addEventListener('drop', (event) => {
  if (!holdsFile(event)) return;
  event.preventDefault();
  depth = 0;
  $('drop').hidden = true;
  const [file] = event.dataTransfer.files;
  if (file) openTrace(file);
});

// ---- looks

installTheme($('theme'), (theme) => { graph.theme = theme; });
installDivider($('divider'), $('panes'));

function setStatus(element, text, tone = '') {
  element.textContent = text;
  element.title = text;
  element.dataset.tone = tone;
}

// For the browser's console and for tests.
globalThis.pysolate = { session, graph, editor, output };
