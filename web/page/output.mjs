// What a run printed: its text, remarks of the page, and its exception with lines that lead into the editor. All of it is
// text nodes: nothing that a program prints is ever read as HTML.

const MAX_CHARS = 1_000_000;  // kept on the page; older text is dropped, and the page says so

export class Output {
  #element;
  #onLine;
  #pending = '';
  #stream = null;  // the <span> that takes more text, or null
  #scheduled = false;
  #chars = 0;
  #dropped = 0;

  // `onLine(line)`: a line number of a traceback was chosen.
  constructor(element, onLine) {
    this.#element = element;
    this.#onLine = onLine;
  }

  clear() {
    this.#element.replaceChildren();
    this.#pending = '';
    this.#stream = null;
    this.#chars = this.#dropped = 0;
  }

  // Text of the program as it comes; drawn at most once a frame.
  write(text, kind = 'out') {
    if (this.#stream && this.#stream.className !== kind) this.#break();
    if (!this.#stream && !this.#pending) this.#kind = kind;
    this.#pending += text;
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }
  #kind = 'out';

  // A sentence of the page, not of the program.
  remark(text) {
    this.#break();
    this.#append('p', 'remark', text);
  }

  // The exception that ended the program. `program`: name of its file in the traceback.
  failure({ traceback, type, message }, program) {
    this.#break();
    const box = this.#append('div', 'failure', '');
    const text = traceback?.trimEnd() || `${type}: ${message}`;
    const marker = `File "${program}", line `;
    for (const [i, line] of text.split('\n').entries()) {
      if (i > 0) box.append('\n');
      const at = line.indexOf(marker);
      const number = at < 0 ? null : /^\d+/.exec(line.slice(at + marker.length))?.[0];
      if (!number) {
        box.append(line);
        continue;
      }
      const end = at + marker.length + number.length;
      const link = document.createElement('button');
      link.type = 'button';
      link.textContent = `line ${number}`;
      link.addEventListener('click', () => this.#onLine(Number(number)));
      box.append(line.slice(0, end - number.length - 'line '.length), link, line.slice(end));
    }
    this.#toEnd();
  }

  // The program's whole text so far (what a test compares).
  get text() {
    this.#flush();
    return [...this.#element.querySelectorAll('.out')].map((part) => part.textContent).join('');
  }

  #append(tag, className, text) {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    this.#element.append(element);
    this.#toEnd();
    return element;
  }

  #break() {
    this.#flush();
    this.#stream = null;
  }

  #flush() {
    if (!this.#pending) return;
    const text = this.#pending;
    this.#pending = '';
    if (!this.#stream) this.#stream = this.#append('span', this.#kind, '');
    this.#stream.append(text);
    this.#chars += text.length;
    while (this.#chars > MAX_CHARS && this.#stream.childNodes.length > 1) {
      const oldest = this.#stream.firstChild;
      this.#chars -= oldest.length;
      this.#dropped += oldest.length;
      oldest.remove();
    }
    if (this.#chars > MAX_CHARS) {
      const oldest = this.#stream.firstChild;
      const surplus = this.#chars - MAX_CHARS;
      oldest.deleteData(0, surplus);
      this.#chars -= surplus;
      this.#dropped += surplus;
    }
    if (this.#dropped) this.#element.dataset.dropped = this.#dropped;
    this.#toEnd();
  }

  #toEnd() {
    this.#element.scrollTop = this.#element.scrollHeight;
  }
}
