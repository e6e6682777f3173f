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
//   class, cost   resource class and how much of it an attempt takes; limits by run({classes: {net: 6}})
//   root          name of the fixed root it reads, or that it writes
//   cancellable   whether it listens to `signal` (default false)
//   deadline      milliseconds, 0 none; retry: further attempts after a transient failure (default 0)
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
