// The page's side of the worker in which Python lives: loading, one run at a time, and a Stop that always works.
//
// States: 'loading' -> 'ready' <-> 'running', or 'failed' if Python can't be loaded. Events (CustomEvent, detail):
//   state      {state, error}             progress   {fraction, what}
//   stdout     {text}                     stderr     {text}
//   trace      {text}   whole lines       effect     {name, value}
//   note       {text}                     workspace  {name, content, files} or {error}
//   done       {result}                   lost       {}   the worker was replaced; names of earlier runs are gone
//
// How Stop works. The worker is told first. If the program waits for a call, the worker is free to hear it and answers at
// once: the wait is rejected and KeyboardInterrupt rises at that call. No answer means that Python computes: where memory
// can be shared (a cross-origin isolated page) the interrupt buffer is set, which Python looks at between instructions.
// (Never first: written during a wait, it would not be seen.) If that brings nothing, or memory can't be shared, the
// worker is ended and a new one loads. A program that catches the interrupt and goes on is ended by a second Stop.

const ANSWER_MS = 200;      // time for the worker to say that it heard
const INTERRUPT_MS = 2000;  // time for the interrupt buffer to end a computation

export class Session extends EventTarget {
  #worker = null;
  #state = 'loading';
  #interrupt = null;  // Uint8Array on shared memory
  #timer = 0;
  #heard = false;
  #run = 0;

  constructor(url) {
    super();
    this.url = url;
    this.#start();
  }

  get state() { return this.#state; }

  // Runs a program. `options`: see the worker. Only in state 'ready'.
  run(source, options) {
    if (this.#state !== 'ready') throw new Error(`can't run while ${this.#state}`);
    if (this.#interrupt) this.#interrupt[0] = 0;
    this.#run++;
    this.#heard = false;
    this.#setState('running');
    this.#worker.postMessage({ type: 'run', run: this.#run, source, options });
  }

  stop() {
    if (this.#state !== 'running') return;
    if (this.#heard) return this.#replace();
    if (this.#timer) return;
    this.#worker.postMessage({ type: 'stop', run: this.#run });
    this.#after(ANSWER_MS, () => {
      if (!this.#interrupt) return this.#replace();
      this.#interrupt[0] = 2;  // SIGINT
      this.#after(INTERRUPT_MS, () => this.#replace());
    });
  }

  #start() {
    this.#setState('loading');
    const worker = new Worker(this.url, { type: 'module', name: 'python' });
    this.#worker = worker;
    this.#interrupt = globalThis.crossOriginIsolated ? new Uint8Array(new SharedArrayBuffer(1)) : null;
    worker.addEventListener('message', ({ data }) => {
      if (worker === this.#worker) this.#onMessage(data);
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      if (worker !== this.#worker) return;
      if (this.#state === 'loading') this.#setState('failed', event.message || 'the worker script could not be loaded');
      else this.#replace(event.message);
    });
    worker.postMessage({ type: 'load', interrupt: this.#interrupt });
  }

  // Ends the worker, whatever it does, and loads a new one.
  #replace(why) {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#worker.terminate();
    this.#tell('lost', { why });
    this.#start();
  }

  #onMessage({ type, ...detail }) {
    if (detail.run !== undefined && detail.run !== this.#run) return;
    if (type === 'ready') this.#setState('ready');
    else if (type === 'failed') this.#setState('failed', detail.error);
    else if (type === 'stopping') {
      this.#heard = true;
      clearTimeout(this.#timer);
      this.#timer = 0;
    } else if (type === 'done') {
      clearTimeout(this.#timer);
      this.#timer = 0;
      this.#tell('done', detail);
      this.#setState('ready');
    } else this.#tell(type, detail);
  }

  #after(ms, action) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(action, ms);
  }

  #setState(state, error) {
    this.#state = state;
    this.#tell('state', { state, error });
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
