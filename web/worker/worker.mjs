// The worker in which Python lives: loads Pyodide, the package and the core, then runs programs for session.mjs.
//
//   <- {type:'load', interrupt}              interrupt: Uint8Array on shared memory, or null
//   -> progress, ready | failed
//   <- {type:'run', run, source, options}    options: program, mode, budget, delay, speculate,
//                                            immutableOrigins
//   -> workspace, stdout, stderr, trace, effect, note (each with `run`), done
//   <- {type:'stop', run}
//   -> stopping                              heard: the wait of the program was rejected

import { attachPysolate } from '../../wasm/js/pyodide-host.mjs';
import { Batches } from './batches.mjs';
import { prefetch } from './loading.mjs';
import { CLASSES, makeTools } from './tools.mjs';
import { WorkspaceClient } from './workspace_client.mjs';

const site = new URL('./', import.meta.url);
const at = (path) => new URL(path, site).href;

let host = null;
let interrupt = null;
let run = 0;         // number of the run under way, or of the last one
let running = false;
let changed = new Set();

const post = (type, detail) => self.postMessage({ type, run, ...detail });
const stdout = new Batches((text) => post('stdout', { text }));
const stderr = new Batches((text) => post('stderr', { text }));
const trace = new Batches((text) => post('trace', { text }));

const workspace = new WorkspaceClient(at('workspace').replace(/^http/, 'ws'), (path) => {
  if (changed.has(path)) return;
  changed.add(path);
  post('note', { text: `${path} changed while the program ran; its snapshot is of the time before. Run again to read the new one.` });
});

self.addEventListener('message', ({ data }) => {
  if (data.type === 'load') load(data).catch((error) => self.postMessage({ type: 'failed', error: error.message }));
  else if (data.type === 'run') start(data);
  else if (data.type === 'stop' && running && data.run === run) {
    if (interrupt) interrupt[0] = 0;  // the wait is rejected instead
    host.stop();
    post('stopping', {});
  }
});

async function load(message) {
  const progress = (fraction, what) => self.postMessage({ type: 'progress', fraction, what });
  progress(0, 'Loading Python…');
  await prefetch([at('pyodide/pyodide.asm.wasm'), at('pyodide/python_stdlib.zip')], (fraction) => {
    progress(fraction * 0.7, `Loading Python… ${Math.round(fraction * 100)} %`);
  });
  progress(0.75, 'Starting Python…');
  const [{ loadPyodide }, { default: createCore }, packageFiles] = await Promise.all([
    import(at('pyodide/pyodide.mjs')),
    import(at('core/pysolate_core.mjs')),
    fetch(at('pysolate.json')).then((response) => response.json()),
  ]);
  const [pyodide, core] = await Promise.all([loadPyodide({ indexURL: at('pyodide/') }), createCore()]);
  progress(0.95, 'Starting Python…');
  interrupt = message.interrupt;
  if (interrupt) pyodide.setInterruptBuffer(interrupt);
  host = await attachPysolate(pyodide, {
    core,
    packageFiles,
    tools: {},
    onTrace: (text) => trace.add(text),
    onStdout: (text) => { stderr.flush(); stdout.add(text); },
    onStderr: (text) => { stdout.flush(); stderr.add(text); },
    onNote: (text) => post('note', { text }),
  });
  self.postMessage({ type: 'ready' });
}

async function start({ run: number, source, options }) {
  run = number;
  running = true;
  changed = new Set();
  const { delay, immutableOrigins, ...rest } = options;
  let root = 'workspace';
  try {
    const opened = await workspace.open({ delay });
    root = `workspace@${opened.content}`;
    post('workspace', opened);
  } catch (error) {
    post('workspace', { error: error.message });  // programs that read nothing run all the same
  }
  let result;
  const began = performance.now();
  try {
    host.setTools(makeTools({ workspace, root, immutableOrigins, onEffect: (name, value) => { flush(); post('effect', { name, value }); } }));
    result = await host.run(source, { ...rest, classes: CLASSES, namespace: 'fresh' });
  } catch (error) {
    result = { ok: false, mode: rest.mode, exception: { type: 'InternalError', message: error.message, traceback: `${error.stack ?? error}` } };
  }
  const seconds = (performance.now() - began) / 1000;
  flush();
  running = false;
  post('done', { result: { ...result, seconds } });
}

function flush() {
  stdout.flush();
  stderr.flush();
  trace.flush();
}
