// The workspace tools on one snapshot: what the page's `workspace.*` calls answer. Each operation takes the JSON arguments
// and gives a JSON value, or throws ToolFailure. Nothing here writes.

import { Worker } from 'node:worker_threads';

import { fail } from './errors.mjs';
import { compileGlob } from './glob.mjs';
import { normalize, show } from './paths.mjs';

export const LIMITS = {
  entries: 100_000,          // files and directories in a snapshot
  file_bytes: 8 << 20,       // one read
  grep_bytes: 64 << 20,      // bytes one grep may look at
  grep_hits: 1000,           // lines one grep returns
  grep_line: 400,            // code points of a line that grep returns
  grep_regex_ms: 2000,       // time for a regular expression over all files
};

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const OPERATIONS = {
  // The file as text; it must be UTF-8.
  async read_text(snapshot, { path }) {
    const name = normalize(path);
    const bytes = await snapshot.read(name);
    try {
      return UTF8.decode(bytes);
    } catch {
      return fail('UnicodeError', `${show(name)} is not UTF-8 text; use workspace.read_bytes`);
    }
  },

  // The file's bytes; they travel as base64.
  async read_bytes(snapshot, { path }) {
    return { base64: (await snapshot.read(normalize(path))).toString('base64') };
  },

  // Names in a directory, sorted; directories end in "/".
  list(snapshot, { path = '' }) {
    const name = normalize(path);
    const entry = snapshot.find(name);
    if (!entry) fail('FileNotFoundError', `no such directory in the workspace: ${show(name)}`);
    if (entry.kind !== 'directory') fail('NotADirectoryError', `not a directory: ${show(name)}`);
    if (entry.unreadable) fail('PermissionError', `not readable: ${show(name)}`);
    const below = name === '' ? '' : `${name}/`;
    return entry.names.map((n) => (snapshot.find(below + n).kind === 'directory' ? `${n}/` : n));
  },

  // Paths of the files that match, sorted by code point.
  glob(snapshot, { pattern }) {
    return matching(snapshot, pattern);
  },

  exists(snapshot, { path }) {
    return snapshot.find(normalize(path)) !== undefined;
  },

  // Lines that contain `pattern` (or match it, with `regex`), in the files that match `glob`. Files that are not text, or
  // larger than one read may be, are passed over.
  async grep(snapshot, { pattern, glob = '**', regex = false, ignore_case: ignoreCase = false }, signal) {
    if (typeof pattern !== 'string') fail('TypeError', 'the pattern is a string');
    if (pattern === '') fail('ValueError', 'the pattern is empty');
    const texts = [];
    let bytes = 0;
    for (const path of matching(snapshot, glob)) {
      signal?.throwIfAborted();
      const { size } = snapshot.find(path);
      if (size > snapshot.limits.file_bytes) continue;
      if ((bytes += size) > snapshot.limits.grep_bytes) {
        fail('ValueError', `the files of glob ${show(glob)} have more than ${snapshot.limits.grep_bytes} bytes; choose fewer`);
      }
      const text = decodeText(await snapshot.read(path));
      if (text !== null) texts.push({ path, text });
    }
    const hits = regex
      ? await grepRegex(texts, pattern, ignoreCase, snapshot.limits, signal)
      : grepLiteral(texts, pattern, ignoreCase, snapshot.limits);
    return hits;
  },
};

function matching(snapshot, pattern) {
  const matches = compileGlob(pattern);
  const paths = [];
  for (const [path, entry] of snapshot.entries) if (entry.kind === 'file' && matches(path)) paths.push(path);
  return paths.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function decodeText(bytes) {
  if (bytes.includes(0)) return null;
  try {
    return UTF8.decode(bytes);
  } catch {
    return null;
  }
}

function grepLiteral(texts, pattern, ignoreCase, limits) {
  const wanted = ignoreCase ? pattern.toLowerCase() : pattern;
  return collect(texts, (line) => (ignoreCase ? line.toLowerCase() : line).includes(wanted), limits);
}

// -> [{path, line, text}], at most limits.grep_hits.
export function collect(texts, matches, limits) {
  const hits = [];
  for (const { path, text } of texts) {
    let number = 0;
    for (const line of text.split('\n')) {
      number++;
      if (!matches(line)) continue;
      hits.push({ path, line: number, text: [...line.replace(/\r$/, '')].slice(0, limits.grep_line).join('') });
      if (hits.length === limits.grep_hits) return hits;
    }
  }
  return hits;
}

// A regular expression may take for ever: it runs in a thread that can be ended.
function grepRegex(texts, pattern, ignoreCase, limits, signal) {
  try {
    new RegExp(pattern, ignoreCase ? 'iu' : 'u');
  } catch (error) {
    fail('ValueError', `bad regular expression ${show(pattern)}: ${error.message.replace(/^Invalid regular expression: /, '')}`);
  }
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./grep_thread.mjs', import.meta.url), { workerData: { texts, pattern, ignoreCase, limits } });
    const timer = setTimeout(() => finish(() => fail('TimeoutError', `regular expression ${show(pattern)} took longer than ${limits.grep_regex_ms} ms`)), limits.grep_regex_ms);
    const onAbort = () => finish(() => signal.throwIfAborted());
    function finish(outcome) {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      worker.removeAllListeners();
      worker.on('error', () => {});
      worker.terminate();
      try {
        resolve(outcome());
      } catch (error) {
        reject(error);
      }
    }
    signal?.addEventListener('abort', onAbort);
    worker.on('message', (hits) => finish(() => hits));
    worker.on('error', (error) => finish(() => { throw error; }));
  });
}
