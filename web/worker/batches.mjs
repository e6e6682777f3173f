// Texts for the page. Each goes out at once, since no timer of a worker fires while Python computes, and the last line
// before a long computation must be seen. Only what comes faster than the page can use is joined into one message.

const WINDOW_MS = 50;
const AT_ONCE = 50;       // messages in a window before joining begins
const SIZE = 64 << 10;    // characters that make a message of their own

export class Batches {
  #send;
  #texts = [];
  #size = 0;
  #window = 0;
  #sent = 0;
  #timer = 0;

  constructor(send) {
    this.#send = send;
  }

  add(text) {
    if (!text) return;
    const now = performance.now();
    if (now - this.#window >= WINDOW_MS) {
      this.#window = now;
      this.#sent = 0;
    }
    this.#texts.push(text);
    this.#size += text.length;
    if (this.#sent < AT_ONCE || this.#size >= SIZE) this.flush();
    else this.#timer ||= setTimeout(() => this.flush(), WINDOW_MS);
  }

  flush() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.#texts.length === 0) return;
    const text = this.#texts.join('');
    this.#texts = [];
    this.#size = 0;
    this.#sent++;
    this.#send(text);
  }
}
