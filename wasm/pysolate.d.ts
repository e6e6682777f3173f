// Types of the wasm core. Kept by hand; tests/wasm holds them against the module.
//
// Times are integer nanoseconds since the start of the run and never decrease. Ids are small positive integers, 0 is
// "none". Everything else that crosses is text: JSON in the words of the trace format (FORMAT.md).

/** State of a call as packed into the answers of `reach` and `stateOf`. */
export declare const enum CallState {
  Waiting = 0,
  Ready = 1,
  Dispatched = 2,
  SettledOk = 3,
  SettledFailed = 4,
  Consumed = 5,
  /** Discarded, cancelled or skipped. */
  Dropped = 6,
}

/** One run's scheduler. A refused input changes nothing, returns 0 and leaves its reason in `error()`. */
export declare class Engine {
  /**
   * @param options the `run` event's fields as JSON text (`program`, `mode`, `clock`, `unit`, `speculate`, `policy`,
   *   `result_bytes`, `source`), the budgets `total` and `early` (-1: unlimited) and `trace` (false: write none).
   */
  constructor(options: string);

  /** What was wrong with the last input; empty if nothing was. */
  error(): string;

  /**
   * Any input event as JSON text without `seq` and `t`: `{"k":"tool","name":"fetch",...}`, `class`, `root`, `site`,
   * `scope`, `scope_active`, `scope_dead`, `scope_closed`, `budget`, `fail`, `stopped`, `cancel`, `tick`, `note`, `end`.
   * @returns the id of what is new, 0 for inputs that introduce nothing
   */
  input(now: number, text: string): number;

  /**
   * An early call whose arguments are not known yet.
   * @param guess perhaps never reached, even if its scope becomes active
   * @param deps calls whose values its arguments need, comma separated
   * @param order order key, compared bytewise
   * @returns call id; 0 if its early start was refused for good (the refusal is an event, not an error)
   */
  arrive(now: number, tool: number, site: number, scope: number, guess: boolean, deps: string, order: string): number;

  /** The early call's arguments are known. `key`: equal keys of one tool mean equal arguments, 0: not shareable. */
  args(now: number, call: number, key: number, preview: string): void;

  /**
   * Control arrived at a call: promotes the oldest early call with the same tool, key and root version, or makes one.
   * @param parent the attempt inside which it is made, or 0
   * @returns `call * 16 + (8 if commands are waiting) + CallState`
   */
  reach(now: number, tool: number, site: number, scope: number, key: number, preview: string, order: string,
        parent: number): number;

  /** The attempt succeeded. `bytes`: kept size of a plain result; 0: not plain, never shared. */
  complete(now: number, attempt: number, bytes: number, preview: string): void;

  /** The program takes the outcome of a settled call. @returns 8 if commands are waiting, else 0 */
  consume(now: number, call: number): number;

  stateOf(call: number): CallState;

  /** The attempt that a call is bound to, 0 if none. */
  attemptOf(call: number): number;

  /**
   * What the host has to do or know since the last call, as JSON text, "" if nothing; in order:
   * `["dispatch", attempt, call]`, `["cancel", attempt]`, `["settle", call, attempt, ok]`, `["skip", call, by]`,
   * `["drop", call]`, `["evict", attempt]`, `["lost", attempt]`.
   */
  commands(): string;

  /** The JSON Lines written since the last call. */
  takeTrace(): string;

  /** When a `tick` is due at the latest (ns), -1: never. */
  nextDeadline(): number;

  /**
   * A question as JSON text: `{"q":"ledger"}`, `{"q":"explain","call":7}`, `{"q":"frontier"}`, `{"q":"stats"}`,
   * `{"q":"call","call":7}`, `{"q":"sites"}`. @returns JSON text
   */
  query(text: string): string;

  /** Frees the object's memory. Objects of a wasm module are not garbage collected. */
  delete(): void;
  isDeleted(): boolean;
}

/** The instantiated module. */
export interface Core {
  Engine: typeof Engine;
  /** Holds a trace against the format and the rules that all traces obey; the answer of `pysolate check --json`. */
  checkTrace(text: string): string;
  /** Makespan, overlap, states, ledger and call sites; the answer of `pysolate stats --json`. */
  traceStats(text: string): string;
  /** The module's memory; views of it go stale when it grows. */
  readonly HEAPU8: Uint8Array;
}

export interface LoadOptions {
  /** The bytes of pysolate_core.wasm; needed only where it can't be fetched. Node reads the file itself. */
  wasmBinary?: ArrayBuffer | Uint8Array;
  /** Where to fetch pysolate_core.wasm from. */
  locateFile?: (file: string) => string;
}

export declare function loadPysolate(options?: LoadOptions): Promise<Core>;
export default loadPysolate;
