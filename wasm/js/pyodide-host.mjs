// The JavaScript half of the Pyodide host: attaches the `pysolate` package to a loaded Pyodide, in a module worker,
// a page or Node, and lets Python programs call asynchronous JavaScript tools that overlap.
//
//   const host = await attachPysolate(pyodide, {core, packageFiles, tools, onTrace, onStdout});
//   const result = await host.run('a = fetch("x")\nprint(a)', {budget: 4});
//
// attachPysolate(pyodide, options) -> Promise<Host>
//   pyodide       a loaded Pyodide (Python 3.14), not shared with another host
//   core          the instantiated wasm core: an object whose `Engine` is a constructor taking JSON text
//   packageFiles  {"pysolate/__init__.py": "text", ...}: every .py file of the package, by path below the search path
//   tools         {name: Tool}; a name with a dot ("workspace.read_text") is a method of a global object
//   onTrace(text)   whole JSON lines of the running trace, as they come (before run() resolves: all of them)
//   onStdout(text), onStderr(text)   what the program prints, as it prints
//   onNote(text)    one clear remark when a run cannot do what was asked (no stack switching: runs sequentially)
//
// Tool (a contract and a function)
//   fn            async (args, {signal, attempt}) => value. `args`: an object, parameter name -> value, defaults filled in.
//                 `signal`: an AbortSignal of this attempt alone, aborted at most once. It may throw: an error with a
//                 string `pythonType` ('FileNotFoundError') becomes that builtin Python exception, any other ToolError.
//   parameters    Python parameter list as text: 'url', 'text, limit=80', 'pattern, *, root="."'. Default ''.
//   effect        'pure' | 'immutable_read' | 'open_read' | 'private_write' | 'external_write' (the default)
//   failure       'stable' (default) | 'transient'
//   class, cost   resource class and how much of it an attempt takes; limits by run({classes: {net: 6, 'disk *': 2}}), where
//                 a * at the end stands for all classes whose names begin so
//   root          name of the fixed root it reads, or that it writes
//   cancellable   whether it listens to `signal` (default false)
//   deadline      milliseconds, 0 none; retry: further attempts after a transient failure (default 0)
//   origins       the contract depends on the origin of an address: {parameter: 'url', class: 'net ', contracts: {
//                 'https://docs.example.org': {effect: 'immutable_read'}}}. Each origin gets a resource class of its own, named
//                 by `class` and the origin; `contracts` says what is different for some
//   early         false: never early; reuse: false: equal calls are not shared; redact: parameter names or true
//
// Host
//   run(source, {program, mode, budget, classes, speculate, namespace}) -> Promise<Result>
//       program    name in tracebacks and traces (default '<program>'); mode 'overlap' (default) | 'sequential'
//       budget     attempts in flight at once, null unlimited; namespace 'fresh' (default) | 'keep' (names of the run before)
//     Result {ok, mode, stdout, exception: null | {type, message, line, traceback}, report, note}; `report` is the same
//     object that `python3 -m pysolate run --report` writes. Never rejects for what the program did.
//   stop() -> 'pending' | 'computing' | 'idle'
//       'pending': the program waited for a call; KeyboardInterrupt is raised at that call. 'computing': Python is not
//       suspended (only seen from callbacks of tools); its next wait is interrupted. Never write Pyodide's interrupt
//       buffer while 'pending': it would not return.
//   pending        true while the program is suspended in a call
//   setTools(tools)   replaces the tools for the next run
//   close()        frees what the last run holds
//
// Values cross as tagged JSON text: None, bool, int, float, str, list and string-keyed dict are what they look like;
// {"$": kind, "v": ...} carries the rest: bytes <-> Uint8Array, tuple -> Array, set/frozenset <-> Set, other dicts <-> Map,
// integers beyond 2^53 <-> BigInt, nan, inf and -0.0 as themselves. A JavaScript number that is integral becomes an int.
//
// Only ids and text cross between Python and JavaScript; no Promise-derived Future or Python proxy is ever handed to
// JavaScript. One run at a time; the core never suspends.

const PACKAGE_DIR = '/pysolate-package';
const SAFE = Number.MAX_SAFE_INTEGER;

// ------------------------------------------------------------------------------------------------------ tagged JSON

function toBase64(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

// The tagged form of a JavaScript value. Throws a TypeError that names what cannot cross.
function tag(value, depth = 0) {
  if (depth > 100) throw new TypeError('nested deeper than 100');
  switch (typeof value) {
    case 'string': case 'boolean': return value;
    case 'undefined': return null;
    case 'bigint': return {$: 'int', v: value.toString()};
    case 'number':
      if (!Number.isFinite(value)) return {$: 'float', v: Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'};
      if (Object.is(value, -0)) return {$: 'float', v: '-0.0'};
      if (Number.isInteger(value) && Math.abs(value) > SAFE) return {$: 'float', v: String(value)};
      return value;
    case 'object': break;
    default: throw new TypeError(`a ${typeof value} cannot cross to Python`);
  }
  if (value === null) return null;
  const inner = (x) => tag(x, depth + 1);
  if (Array.isArray(value)) return value.map(inner);
  if (value instanceof Uint8Array) return {$: 'bytes', v: toBase64(value)};
  if (value instanceof ArrayBuffer) return {$: 'bytes', v: toBase64(new Uint8Array(value))};
  if (value instanceof Map) return {$: 'dict', v: [...value].map(([k, v]) => [inner(k), inner(v)])};
  if (value instanceof Set) return {$: 'set', v: [...value].map(inner)};
  const proto = Object.getPrototypeOf(value);
  if (proto !== null && Object.getPrototypeOf(proto) !== null) {
    throw new TypeError(`an object of class ${value.constructor?.name ?? '?'} cannot cross to Python`);
  }
  const entries = Object.entries(value);
  if ('$' in value) return {$: 'dict', v: entries.map(([k, v]) => [k, inner(v)])};
  return Object.fromEntries(entries.map(([k, v]) => [k, inner(v)]));
}

function untag(value) {
  if (Array.isArray(value)) return value.map(untag);
  if (value === null || typeof value !== 'object') return value;
  if (!('$' in value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, untag(v)]));
  switch (value.$) {
    case 'int': return BigInt(value.v);
    case 'float': return {nan: NaN, inf: Infinity, '-inf': -Infinity, '-0.0': -0}[value.v] ?? Number(value.v);
    case 'bytes': return fromBase64(value.v);
    case 'tuple': return value.v.map(untag);
    case 'set': case 'frozenset': return new Set(value.v.map(untag));
    case 'dict': return new Map(value.v.map(([k, v]) => [untag(k), untag(v)]));
    default: throw new TypeError(`unknown tag ${value.$}`);
  }
}

export const toTaggedJson = (value) => JSON.stringify(tag(value));
export const fromTaggedJson = (text) => untag(JSON.parse(text));

// ----------------------------------------------------------------------------------------------------------- tools

const CONTRACT_FIELDS = {
  effect: 'effect', failure: 'failure', class: 'resource', cost: 'cost', root: 'root', cancellable: 'cancellable',
  retry: 'retry', early: 'early', reuse: 'reuse', redact: 'redact',
};
const TOOL_FIELDS = new Set(['fn', 'parameters', 'deadline', 'doc', 'origins', ...Object.keys(CONTRACT_FIELDS)]);

function contractOf(tool) {
  const contract = {};
  for (const [ours, theirs] of Object.entries(CONTRACT_FIELDS)) {
    if (tool[ours] !== undefined) contract[theirs] = tool[ours];
  }
  if (tool.deadline) contract.deadline = tool.deadline / 1000;
  return contract;
}

// The contracts as Python reads them (contracts.Contract).
function describeTools(tools) {
  return Object.entries(tools).map(([name, tool]) => {
    if (typeof tool?.fn !== 'function') throw new TypeError(`tool ${name}: fn must be a function`);
    for (const field of Object.keys(tool)) {
      if (!TOOL_FIELDS.has(field)) throw new TypeError(`tool ${name}: unknown field ${field}`);
    }
    const contract = {cancellable: false, ...contractOf(tool)};
    const origins = tool.origins && {
      parameter: tool.origins.parameter,
      class: tool.origins.class,
      contracts: Object.fromEntries(Object.entries(tool.origins.contracts ?? {}).map(([origin, fields]) => [origin, contractOf(fields)])),
    };
    return {name, contract, parameters: tool.parameters ?? '', doc: tool.doc ?? null, origins: origins ?? null};
  });
}

class Stopped extends Error {
  constructor() { super('stopped'); this.name = 'Stopped'; }
}

// ------------------------------------------------------------------------------------------------------------- host

class Host {
  #pyodide; #core; #tools; #toolsText; #on; #run;
  #attempts = new Map();   // attempt -> AbortController of a running JavaScript tool
  #ended = [];             // [attempt, 'ok' | 'stopped' | Python exception name, JSON text or message]
  #gates = new Map();      // call -> {resolve, reject} of a suspended program
  #awaited = new Map();    // attempt -> call whose gate it opens
  #news = null;            // resolves the pump's promise
  #timer = null;
  #fresh = false;          // something ended since the pump last looked
  #stop = false;           // the next wait is interrupted
  #state = 'idle';
  #generation = 0;         // answers of an earlier run are ignored
  #engine = null;

  constructor(pyodide, {core, tools, onTrace, onStdout, onStderr, onNote}) {
    this.#pyodide = pyodide;
    this.#core = core;
    this.#on = {trace: onTrace ?? (() => {}), stdout: onStdout ?? (() => {}), stderr: onStderr ?? (() => {}),
      note: onNote ?? (() => {})};
    this.setTools(tools);
  }

  get pending() { return this.#gates.size > 0; }

  setTools(tools) {
    this.#toolsText = JSON.stringify(describeTools(tools));
    this.#tools = {...tools};
  }

  async attach(packageFiles) {
    const {FS} = this.#pyodide;
    for (const [path, text] of Object.entries(packageFiles)) {
      const full = `${PACKAGE_DIR}/${path}`;
      FS.mkdirTree(full.slice(0, full.lastIndexOf('/')));
      FS.writeFile(full, text);
    }
    this.#pyodide.registerJsModule('_pysolate_page', this.#module());
    const names = this.#pyodide.toPy({});
    try {
      this.#run = await this.#pyodide.runPythonAsync(
          `import sys\nif ${JSON.stringify(PACKAGE_DIR)} not in sys.path:\n    sys.path.insert(0, ` +
          `${JSON.stringify(PACKAGE_DIR)})\nfrom pysolate.page import run_json\nrun_json`, {globals: names});
    } finally {
      names.destroy();
    }
  }

  // What Python sees as `_pysolate_page`: numbers and text go in, numbers, text and gate promises come out.
  #module() {
    return {
      openEngine: (options) => {
        this.#freeEngine();
        this.#engine = new this.#core.Engine(options);
        return this.#engine;
      },
      tools: () => this.#toolsText,
      start: (attempt, name, text) => this.#start(attempt, name, text),
      cancel: (attempt) => this.#attempts.get(attempt)?.abort(),
      take: () => {
        this.#fresh = false;
        if (this.#ended.length === 0) return '';
        const text = JSON.stringify(this.#ended);
        this.#ended = [];
        return text;
      },
      wake: (attempt) => this.#wake(attempt),
      // The pump's promise: resolved when something ended, or after so many milliseconds (-1: never).
      news: (milliseconds) => new Promise((resolve) => {
        if (this.#fresh) { this.#fresh = false; resolve(0); return; }
        this.#news = resolve;
        if (milliseconds >= 0) this.#timer = setTimeout(() => this.#wake(), Math.min(milliseconds, 0x7fffffff));
      }),
      // The promise that a waiting program is suspended on; stop() rejects it. When `attempt` (0: not known yet) ends,
      // the program goes on at once, without the pump.
      gate: (call, attempt) => new Promise((resolve, reject) => {
        if (this.#stop) { this.#stop = false; reject(new Stopped()); return; }
        this.#gates.set(call, {resolve, reject, attempt});
        if (attempt) this.#awaited.set(attempt, call);
      }),
      open: (call) => this.#open(call),
      trace: (text) => { this.#on.trace(text); },
      stdout: (text) => { this.#on.stdout(text); },
      flush: () => {},
    };
  }

  #open(call) {
    const gate = this.#gates.get(call);
    if (gate === undefined) return;
    this.#gates.delete(call);
    this.#awaited.delete(gate.attempt);
    gate.resolve(0);
  }

  // Something ended: `attempt` if it is not 0.
  #wake(attempt = 0) {
    this.#fresh = true;
    if (attempt && this.#awaited.has(attempt)) {
      this.#open(this.#awaited.get(attempt));
      return;
    }
    if (this.#news === null) return;
    clearTimeout(this.#timer);
    const resolve = this.#news;
    this.#news = null;
    this.#fresh = false;
    resolve(0);
  }

  #start(attempt, name, text) {
    const controller = new AbortController();
    const generation = this.#generation;
    this.#attempts.set(attempt, controller);
    const end = (how, value) => {
      if (generation !== this.#generation) return;
      this.#attempts.delete(attempt);
      this.#ended.push([attempt, how, value]);
      this.#wake(attempt);
    };
    const fail = (error) => {
      if (controller.signal.aborted) return end('stopped', '');
      const type = typeof error?.pythonType === 'string' ? error.pythonType : '';
      end(type || 'ToolError', String(error?.message ?? error));
    };
    let answer;
    try {
      answer = this.#tools[name].fn(fromTaggedJson(text), {signal: controller.signal, attempt});
    } catch (error) {
      fail(error);
      return;
    }
    Promise.resolve(answer).then((value) => {
      let json;
      try {
        json = toTaggedJson(value);
      } catch (error) {
        end('TypeError', `${name}() returned what cannot cross to Python: ${error.message}`);
        return;
      }
      end('ok', json);
    }, fail);
  }

  async run(source, options = {}) {
    if (this.#state !== 'idle') throw new Error('a program is running already');
    this.#state = 'running';
    this.#generation += 1;
    this.#stop = false;
    this.#ended = [];
    this.#gates.clear();
    this.#awaited.clear();
    this.#attempts.clear();
    try {
      const text = await this.#run.callPromising(String(source), JSON.stringify(options));
      const result = JSON.parse(text);
      if (result.error !== undefined) throw new TypeError(result.error);
      if (result.note) this.#on.note(result.note);
      return result;
    } finally {
      this.#state = 'idle';
      // Orphans of the run: their answers are not wanted any more.
      for (const controller of this.#attempts.values()) controller.abort();
      this.#attempts.clear();
      this.#generation += 1;
    }
  }

  stop() {
    if (this.#state === 'idle') return 'idle';
    if (this.#gates.size === 0) {
      this.#stop = true;
      return 'computing';
    }
    for (const {reject} of this.#gates.values()) reject(new Stopped());
    this.#gates.clear();
    this.#awaited.clear();
    return 'pending';
  }

  #freeEngine() {
    this.#engine?.delete?.();
    this.#engine = null;
  }

  close() {
    this.#freeEngine();
    this.#run?.destroy();
    this.#run = null;
  }
}

export async function attachPysolate(pyodide, options) {
  const host = new Host(pyodide, {tools: {}, ...options});
  await host.attach(options.packageFiles);
  return host;
}
