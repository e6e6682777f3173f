// A client of the workspace connection that can say anything: any header, any message.
import { need } from './packages.mjs';

const { WebSocket } = need('ws');

export class RawSocket {
  // Resolves once open; rejects with the HTTP status if the server refuses.
  static connect(server, { headers = {}, path = '/workspace', origin = `http://127.0.0.1:${server.port}` } = {}) {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}${path}`, { headers, ...(origin ? { origin } : {}) });
      socket.on('open', () => resolve(new RawSocket(socket)));
      socket.on('unexpected-response', (_, response) => {
        let body = '';
        response.on('data', (data) => (body += data));
        response.on('end', () => reject(Object.assign(new Error(body.trim()), { status: response.statusCode })));
      });
      socket.on('error', reject);
    });
  }

  #id = 0;
  #waiting = new Map();

  constructor(socket) {
    this.socket = socket;
    this.received = [];  // every message, in order
    this.closed = new Promise((resolve) => socket.on('close', (code) => resolve(code)));
    socket.on('message', (data) => {
      const message = JSON.parse(data);
      this.received.push(message);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  // The whole answer of one request: {ok} or {error} or {cancelled}.
  ask(op, args = {}, more = {}) {
    const id = ++this.#id;
    this.socket.send(JSON.stringify({ id, op, args, ...more }));
    const answer = new Promise((resolve) => this.#waiting.set(id, resolve));
    return Object.assign(answer, { id });
  }

  async ok(op, args, more) {
    const answer = await this.ask(op, args, more);
    if (!('ok' in answer)) throw new Error(`${op} ${JSON.stringify(args)}: ${JSON.stringify(answer)}`);
    return answer.ok;
  }

  async error(op, args) {
    const answer = await this.ask(op, args);
    if (!answer.error) throw new Error(`${op} ${JSON.stringify(args)} was answered: ${JSON.stringify(answer)}`);
    return answer.error;
  }

  cancel(id) { this.socket.send(JSON.stringify({ cancel: id })); }
  sendRaw(data, options) { this.socket.send(data, options); }
  close() { this.socket.close(); return this.closed; }
}
