// The worker's end of the workspace connection (server/connection.mjs has the protocol): many requests in flight on one
// WebSocket, each answered once, each cancellable. Connects when first used, and anew after a loss.

export class ToolError extends Error {
  // `pythonType`: the exception that the program sees.
  constructor(pythonType, message) {
    super(message);
    this.pythonType = pythonType;
  }
}

const LOST = 'the connection to the workspace server was lost; is it still running?';

export class WorkspaceClient {
  #url;
  #onChanged;
  #socket = null;  // promise of an open WebSocket
  #waiting = new Map();  // id -> {resolve, reject}
  #next = 1;

  // `onChanged(path)`: a file is not what the snapshot saw.
  constructor(url, onChanged) {
    this.#url = url;
    this.#onChanged = onChanged;
  }

  // Takes a new snapshot. -> {name, content, files, ...}. `delay`: ms before each later request is looked at.
  async open({ delay }) {
    return this.#ask({ op: 'open', delay });
  }

  // One tool request; `signal` cancels it.
  async request(op, args, signal) {
    return this.#ask({ op, args }, signal);
  }

  get inFlight() { return this.#waiting.size; }

  async #ask(message, signal) {
    const socket = await this.#connect();
    signal?.throwIfAborted();
    const id = this.#next++;
    const onAbort = () => {
      if (this.#waiting.has(id)) socket.send(JSON.stringify({ cancel: id }));
    };
    try {
      return await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        signal?.addEventListener('abort', onAbort);
        socket.send(JSON.stringify({ id, ...message }));
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #connect() {
    this.#socket ??= new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url);
      let opened = false;
      socket.addEventListener('open', () => {
        opened = true;
        resolve(socket);
      });
      socket.addEventListener('message', ({ data }) => this.#onMessage(JSON.parse(data)));
      socket.addEventListener('close', () => {
        this.#socket = null;
        if (!opened) reject(new ToolError('ConnectionError', 'there is no workspace server here; start the page with ./web/run.sh'));
        for (const { reject: fail } of this.#waiting.values()) fail(new ToolError('ConnectionError', LOST));
        this.#waiting.clear();
      });
    });
    return this.#socket;
  }

  #onMessage({ id, ok, error, cancelled }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    if (error?.changed) this.#onChanged(error.changed);
    if (cancelled) waiting.reject(new DOMException('cancelled', 'AbortError'));
    else if (error) waiting.reject(new ToolError(error.type, error.message));
    else waiting.resolve(ok);
  }
}
