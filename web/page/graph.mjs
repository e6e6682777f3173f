// The viewer beside the program, the trace it shows, and the trace's way in and out of the page.

export class Graph {
  #stage;
  #viewer = null;
  #ready;
  #chunks = [];     // text of the run's trace so far
  #lines = 0;
  #name = 'program';
  #theme = 'dark';
  #onChange;

  // `stage`: element that holds the viewer. `onChange({lines, name, opened})` hears of every growth.
  constructor(stage, onChange) {
    this.#stage = stage;
    this.#onChange = onChange;
    this.#ready = this.#load();
  }

  // Resolves to the <pysolate-viewer>, or null if this build has none.
  get ready() { return this.#ready; }
  get viewer() { return this.#viewer; }
  get text() { return this.#chunks.join(''); }
  get lines() { return this.#lines; }

  set theme(theme) {
    this.#theme = theme;
    this.#viewer?.setAttribute('theme', theme);
  }

  // A new run: the viewer follows it from its first line.
  begin(name) {
    this.#name = name;
    this.#chunks = [];
    this.#lines = 0;
    this.#viewer?.tail(null, name);
    this.#onChange({ lines: 0, name, opened: false });
  }

  // Whole lines of the running trace.
  append(text) {
    this.#chunks.push(text);
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) this.#lines++;
    this.#viewer?.tail(text);
    this.#onChange({ lines: this.#lines, name: this.#name, opened: false });
  }

  // Shows a trace file. Throws an Error with the reader's message; what came before the bad line stays shown.
  async open(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const viewer = await this.#ready;
    if (!viewer) throw new Error('this build of the page has no viewer');
    const result = await viewer.openBytes(bytes, file.name);
    this.#name = file.name;
    this.#onChange({ lines: result?.events ?? 0, name: file.name, opened: true });
    return result;
  }

  // Saves the last run's trace as a file.
  download() {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([this.text], { type: 'application/x-ndjson' }));
    link.download = `${this.#name.replace(/\.py$/, '')}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  async #load() {
    try {
      await import(new URL('./viewer/pysolate-viewer.mjs', import.meta.url).href);
    } catch (error) {
      console.warn('no viewer:', error);
      this.#stage.replaceChildren(Object.assign(document.createElement('p'), { className: 'empty', textContent: `The viewer could not be loaded (${error.message}). Programs run all the same, and their traces can be downloaded.` }));
      return null;
    }
    const viewer = document.createElement('pysolate-viewer');
    viewer.setAttribute('theme', this.#theme);
    this.#stage.replaceChildren(viewer);
    this.#viewer = viewer;
    return viewer;
  }
}
