// Texts for the page in batches: many small ones become one message. While Python computes no timer of the worker fires,
// so a batch also goes out when an addition finds it old or large enough.

const AGE_MS = 40;
const SIZE = 64 << 10;

export class Batches {
  #send;
  #texts = [];
  #size = 0;
  #since = 0;
  #timer = 0;

  constructor(send) {
    this.#send = send;
  }

  add(text) {
    if (!text) return;
    if (this.#texts.length === 0) this.#since = performance.now();
    this.#texts.push(text);
    this.#size += text.length;
    if (this.#size >= SIZE || performance.now() - this.#since >= AGE_MS) this.flush();
    else this.#timer ||= setTimeout(() => this.flush(), AGE_MS);
  }

  flush() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.#texts.length === 0) return;
    const text = this.#texts.join('');
    this.#texts = [];
    this.#size = 0;
    this.#send(text);
  }
}
