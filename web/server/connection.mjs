// One WebSocket: the workspace tools of one worker. Many requests are in flight at once and are answered in any order.
//
//   -> {"id":1,"op":"open","delay":200}         takes a snapshot; later requests are answered from it. `delay` (optional):
//                                               ms before each later request is looked at, instead of the server's own
//   <- {"id":1,"ok":{"name":"main","content":"3fa9…","files":213,...}}
//   -> {"id":2,"op":"read_text","args":{"path":"README.md"}}
//   <- {"id":2,"ok":"..."}  or  {"id":2,"error":{"type":"FileNotFoundError","message":"...","failure":"stable"}}
//                                               with "changed":PATH if the file is not what the snapshot saw
//   -> {"cancel":2}
//   <- {"id":2,"cancelled":true}                unless it was answered before
//
// Every request gets exactly one answer. A message that isn't one of these closes the connection (it is no page of ours).

import { ToolFailure, fail } from './errors.mjs';
import { Snapshot } from './snapshot.mjs';
import { LIMITS, OPERATIONS } from './workspace.mjs';

export const MAX_MESSAGE = 64 << 10;  // bytes of a request
export const MAX_IN_FLIGHT = 4096;    // unanswered requests of one connection
const MAX_DELAY = 60_000;             // ms
const AT_WORK = 16;                   // requests that use the disk at a time
const MAX_UNSENT = 256 << 20;         // bytes waiting in the socket for a reader who doesn't read

export class Connection {
  #socket;
  #options;
  #snapshot = null;
  #delay;
  #requests = new Map();  // id -> AbortController
  #working = 0;
  #queue = [];

  // `options`: `workspace` (directory), `skip`, `limits`, `delay` (ms).
  constructor(socket, options) {
    this.#socket = socket;
    this.#options = options;
    this.#delay = options.delay ?? 0;
    socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    socket.on('close', () => this.#end());
    socket.on('error', () => {});  // 'close' follows
  }

  #onMessage(data, isBinary) {
    let message = null;
    if (!isBinary) {
      try {
        message = JSON.parse(data.toString('utf8'));
      } catch {}
    }
    if (Number.isSafeInteger(message?.cancel)) return this.#cancel(message.cancel);
    if (!Number.isSafeInteger(message?.id) || message.id < 1 || typeof message.op !== 'string') {
      return this.#socket.close(1008, 'not a request');
    }
    if (this.#requests.has(message.id)) return this.#socket.close(1008, 'an id was used twice');
    if (this.#requests.size >= MAX_IN_FLIGHT) {
      return this.#send({ id: message.id, error: { type: 'OSError', message: `more than ${MAX_IN_FLIGHT} requests at once`, failure: 'transient' } });
    }
    const aborter = new AbortController();
    this.#requests.set(message.id, aborter);
    this.#answer(message, aborter.signal);
  }

  async #answer({ id, op, args, delay }, signal) {
    let answer;
    try {
      answer = { id, ok: op === 'open' ? await this.#open(delay) : await this.#perform(op, args, signal) };
    } catch (error) {
      if (signal.aborted) answer = { id, cancelled: true };
      else if (error instanceof ToolFailure) answer = { id, error: { type: error.type, message: error.message, failure: error.failure, changed: error.changed } };
      else {
        console.error(error);
        answer = { id, error: { type: 'OSError', message: 'the server failed; its console says why', failure: 'transient' } };
      }
    }
    if (!this.#requests.delete(id)) return;
    this.#send(answer);
  }

  async #open(delay) {
    if (delay !== undefined) {
      if (!Number.isFinite(delay) || delay < 0 || delay > MAX_DELAY) fail('ValueError', `delay is 0 to ${MAX_DELAY} ms`);
      this.#delay = delay;
    }
    const { workspace, skip, limits } = this.#options;
    if (!workspace) fail('OSError', 'the server has no workspace; start it with --workspace DIR');
    const snapshot = await Snapshot.take(workspace, { skip, limits: { ...LIMITS, ...limits } });
    this.#snapshot = snapshot;
    const { content, files, skipped } = snapshot;
    return { name: snapshot.directory.split('/').at(-1) || '/', content, files, skipped, delay: this.#delay };
  }

  async #perform(op, args, signal) {
    const snapshot = this.#snapshot;
    if (!snapshot) fail('OSError', 'no snapshot was taken yet');
    if (!Object.hasOwn(OPERATIONS, op)) fail('ValueError', `there is no operation ${JSON.stringify(op.slice(0, 40))}`);
    if (typeof args !== 'object' || args === null || Array.isArray(args)) fail('TypeError', 'args is an object');
    if (this.#delay > 0) await sleep(this.#delay, signal);
    const release = await this.#slot(signal);
    try {
      signal.throwIfAborted();
      return await OPERATIONS[op](snapshot, args, signal);
    } finally {
      release();
    }
  }

  async #slot(signal) {
    if (this.#working >= AT_WORK) {
      await new Promise((resolve) => this.#queue.push(resolve));
    } else {
      this.#working++;
    }
    const release = () => {
      const next = this.#queue.shift();
      if (next) next();
      else this.#working--;
    };
    if (signal.aborted) {
      release();
      signal.throwIfAborted();
    }
    return release;
  }

  #cancel(id) {
    this.#requests.get(id)?.abort();
  }

  #send(message) {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_UNSENT) return this.#socket.terminate();
    this.#socket.send(JSON.stringify(message));
  }

  #end() {
    for (const aborter of this.#requests.values()) aborter.abort();
    this.#requests.clear();
    this.#snapshot = null;
  }
}

function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
