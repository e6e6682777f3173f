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

  // `stage`: element that holds the viewer. `onChange({lines, name})` hears of every growth.
  constructor(stage, onChange) {
    this.#stage = stage;
    this.#onChange = onChange;
    this.#ready = this.#load();
  }

  // Resolves to the <pysolate-viewer> when it can draw, or null if it can't be had (the stage says why).
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
    this.#tail(null);
    this.#onChange({ lines: 0, name });
  }

  // Whole lines of the running trace.
  append(text) {
    this.#chunks.push(text);
    for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) this.#lines++;
    this.#tail(text);
    this.#onChange({ lines: this.#lines, name: this.#name });
  }

  // Nothing more will come, whether the trace has its end or not (a replaced worker).
  end() {
    this.#viewer?.finish?.();
  }

  // Shows a trace file. -> {lines, warning}. Throws an Error with the reader's message; what came before the bad line
  // stays shown.
  async open(file) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const viewer = await this.#ready;
    if (!viewer) throw new Error('this page has no viewer to show it in');
    try {
      const { events } = await viewer.openBytes(bytes, file.name);
      return { lines: events, warning: viewer.state().banner };
    } finally {
      this.#onChange({ lines: viewer.state().events, name: file.name });
    }
  }

  // Saves the last run's trace as a file.
  download() {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([this.text], { type: 'application/x-ndjson' }));
    link.download = `${this.#name.replace(/\.py$/, '')}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  // The viewer keeps the order of these calls, and says itself what is wrong with it.
  #tail(text) {
    this.#viewer?.tail(text, this.#name).catch(() => {});
  }

  async #load() {
    try {
      await import(new URL('./viewer/pysolate-viewer.mjs', import.meta.url).href);
      const viewer = document.createElement('pysolate-viewer');
      viewer.setAttribute('theme', this.#theme);
      this.#stage.replaceChildren(viewer);
      this.#viewer = viewer;
      if (this.#chunks.length > 0) {  // a run that began before
        this.#tail(null);
        this.#tail(this.text);
      }
      await viewer.ready;
      return viewer;
    } catch (error) {
      this.#viewer = null;
      const message = document.createElement('p');
      message.className = 'empty';
      message.textContent = `The viewer could not be loaded (${error.message}). Programs run all the same, and their traces can be downloaded.`;
      this.#stage.replaceChildren(message);
      return null;
    }
  }
}
