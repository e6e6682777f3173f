// A real Pyodide with the package and the wasm core in it, for the tests under Node.
//
// Found by environment: PYSOLATE_CORE_DIR (pysolate_core.mjs and .wasm), PYSOLATE_NODE_MODULES (holds pyodide); by
// default the release build and the page's node_modules.
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
const MODULES = process.env.PYSOLATE_NODE_MODULES ?? path.join(ROOT, 'web', 'node_modules');
const CORE = process.env.PYSOLATE_CORE_DIR ?? path.join(ROOT, 'build', 'wasm', 'wasm');

export async function loadCore() {
  const {default: create} = await import(pathToFileURL(path.join(CORE, 'pysolate_core.mjs')));
  return create({wasmBinary: fs.readFileSync(path.join(CORE, 'pysolate_core.wasm'))});
}

// Every .py file of the package, by path below the search path.
export function packageFiles() {
  const base = path.join(ROOT, 'core', 'python');
  const found = {};
  const walk = (folder) => {
    for (const entry of fs.readdirSync(path.join(base, folder), {withFileTypes: true})) {
      const file = `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(file);
      else if (entry.name.endsWith('.py')) found[file] = fs.readFileSync(path.join(base, file), 'utf8');
    }
  };
  walk('pysolate');
  return found;
}

export async function loadPython() {
  const {loadPyodide} = await import(pathToFileURL(path.join(MODULES, 'pyodide', 'pyodide.mjs')));
  return loadPyodide();
}

// -> {pyodide, core, host}: attached, with `tools`.
export async function attach(options = {}) {
  const {attachPysolate} = await import('../../wasm/js/pyodide-host.mjs');
  const [pyodide, core] = await Promise.all([loadPython(), loadCore()]);
  const host = await attachPysolate(pyodide, {core, packageFiles: packageFiles(), ...options});
  return {pyodide, core, host};
}

export const sleep = (ms, signal) => new Promise((resolve, reject) => {
  const timer = setTimeout(() => { signal?.removeEventListener('abort', stop); resolve(); }, ms);
  const stop = () => { clearTimeout(timer); reject(new Error('aborted')); };
  signal?.addEventListener('abort', stop, {once: true});
});
