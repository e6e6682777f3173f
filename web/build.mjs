// Builds the page into build/site: bundles, styles, fonts, Pyodide, the Python package and the two wasm modules.
//
//   node web/build.mjs [--out DIR] [--wasm DIR]
//
//   --out DIR    where the site goes (default: build/site)
//   --wasm DIR   the wasm build (default: build/wasm)
//
// Fails if a part is missing or if our own JavaScript is larger than its budget.

import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

import esbuild from 'esbuild';

const WEB = dirname(fileURLToPath(import.meta.url));
const PROJECT = dirname(WEB);
const BUDGET = 600_000;  // bytes of our own JavaScript, raw

const { values } = parseArgs({ options: { out: { type: 'string' }, wasm: { type: 'string' } } });
const OUT = resolve(values.out ?? join(PROJECT, 'build', 'site'));
const WASM = resolve(values.wasm ?? join(PROJECT, 'build', 'wasm'));

const need = createRequire(import.meta.url);
const packageDir = (name) => dirname(need.resolve(`${name}/package.json`));

function fail(text) {
  console.error(`build: ${text}`);
  process.exit(1);
}

function copy(from, to) {
  if (!existsSync(from)) fail(`${relative(PROJECT, from)} is missing`);
  const target = join(OUT, to);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(from, target);
}

// Every file below `dir` with one of the endings, as paths relative to it.
function filesBelow(dir, pattern) {
  return readdirSync(dir, { recursive: true }).map(String).filter((file) => pattern.test(file) && statSync(join(dir, file)).isFile()).sort();
}

async function bundle() {
  const common = { bundle: true, format: 'esm', minify: true, target: ['chrome137', 'firefox128'], legalComments: 'none', logLevel: 'warning', sourcemap: true };
  await esbuild.build({
    ...common,
    entryPoints: { page: join(WEB, 'page', 'main.mjs'), worker: join(WEB, 'worker', 'worker.mjs') },
    outdir: OUT,
    loader: { '.py': 'text' },
    external: ['./viewer/*', './pyodide/*', './core/*'],
  });
  await esbuild.build({ ...common, entryPoints: [join(WEB, 'viewer', 'pysolate-viewer.mjs')], outfile: join(OUT, 'viewer', 'pysolate-viewer.mjs') });
  await esbuild.build({
    ...common,
    entryPoints: { page: join(WEB, 'page', 'styles', 'page.css') },
    outdir: OUT,
    loader: { '.woff2': 'copy' },
    assetNames: 'fonts/[name]',
    nodePaths: [join(WEB, 'node_modules')],
  });
}

function copyPyodide() {
  const from = packageDir('pyodide');
  for (const file of ['pyodide.mjs', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip', 'pyodide-lock.json']) copy(join(from, file), join('pyodide', file));
}

// The package as {path: text}: small, and no archive format needed.
function packPython() {
  const from = join(PROJECT, 'core', 'python');
  const files = filesBelow(join(from, 'pysolate'), /\.py$/);
  writeFileSync(join(OUT, 'pysolate.json'), JSON.stringify(Object.fromEntries(files.map((file) => [`pysolate/${file}`, readFileSync(join(from, 'pysolate', file), 'utf8')]))));
}

function copyWasm() {
  for (const [to, files] of Object.entries({
    core: [join(WASM, 'wasm', 'pysolate_core.mjs'), join(WASM, 'wasm', 'pysolate_core.wasm')],
    viewer: [join(WASM, 'viz', 'app', 'pysolate-viewer-module.mjs'), join(WASM, 'viz', 'app', 'pysolate-viewer-module.wasm')],
  })) for (const file of files) copy(file, join(to, basename(file)));
}

function report() {
  const sizes = filesBelow(OUT, /\.(js|mjs|css|wasm|woff2|json)$/).filter((file) => !file.startsWith('pyodide/'));
  let own = 0;
  for (const file of sizes) {
    const bytes = readFileSync(join(OUT, file));
    if (/\.m?js$/.test(file)) own += bytes.length;
    console.log(`${String(bytes.length).padStart(9)} ${String(gzipSync(bytes).length).padStart(9)}  ${file}`);
  }
  console.log(`${String(own).padStart(9)} bytes of JavaScript (budget ${BUDGET}), columns: raw, gzip, file`);
  if (own > BUDGET) fail(`our JavaScript has ${own} bytes, more than ${BUDGET}`);
}

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
copy(join(WEB, 'page', 'index.html'), 'index.html');
copy(join(WEB, 'page', 'icon.svg'), 'icon.svg');
await bundle();
copyPyodide();
packPython();
copyWasm();
report();
