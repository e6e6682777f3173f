// <pysolate-viewer>: the event graph viewer as an element. A canvas drawn by WebAssembly, and beside it, for those who
// cannot see it, the same in words.
//
//   <script type="module" src="viewer/pysolate-viewer.mjs"></script>
//   <pysolate-viewer theme="dark" style="width: 100%; height: 600px"></pysolate-viewer>
//
// Methods (each waits until the module is loaded; all but state() and screenshot() may be called before):
//   openBytes(bytes, name)   Uint8Array or string: shows a finished trace -> {events}; rejects if the trace is bad, what
//                            came before the bad line stays shown
//   tail(text, name)         appends to a live trace; null starts a new one. The view follows it unless told otherwise
//   finish()                 the live trace is complete
//   goTo(seq) select(call) query(text) command(id) link(fragment)
//   commands()               the table of commands: [{id, title, group, key, help}]
//   state()                  what is shown, as an object (keys: viz/ui/state_json.cc)
//   screenshot()             -> Blob (image/png)
//   script(text)             acts by a script (viz/app/script.h) -> {ok, log}
//
// Attributes: theme ("dark", "light"), preset ("debug", "read", "present").
// Events: ready; cursor {seq}; select {call}; error {message}; link {fragment}. None is sent for what did not change.
//
// Frames are drawn only when something changed; keys count only while the canvas has the focus.

const MODULE = new URL('./pysolate-viewer-module.mjs', import.meta.url);
const WASM = new URL('./pysolate-viewer-module.wasm', import.meta.url);
const CURSORS = ['default', 'text', 'ew-resize', 'ns-resize', 'pointer'];
const CHUNK = 1 << 20;  // bytes fed at a time, so that a large trace needs no second copy in the module

// Compiled once a page, instantiated once an element: a module draws into one canvas.
let compiled = null;
function compile() {
  compiled ??= WebAssembly.compileStreaming(fetch(WASM)).catch(async () => WebAssembly.compile(await (await fetch(WASM)).arrayBuffer()));
  return compiled;
}

// Adopted, not written into the markup: a content security policy that forbids inline styles has nothing against it.
const STYLE = new CSSStyleSheet();
STYLE.replaceSync(`
  :host { display: block; position: relative; overflow: hidden; contain: strict; min-width: 200px; min-height: 150px; }
  canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; outline: none; touch-action: none; }
  .focus { position: absolute; inset: 0; pointer-events: none; }
  canvas:focus-visible + .focus { box-shadow: inset 0 0 0 2px #8b6cf0; }
  .twin { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
  .message { position: absolute; inset: 0; display: grid; place-items: center; padding: 2em; font: 14px system-ui, sans-serif; text-align: center; }
`);
const STYLE_SHEET = new CSSStyleSheet();
STYLE_SHEET.replaceSync(STYLE);

export class PysolateViewer extends HTMLElement {
  static observedAttributes = ['theme', 'preset'];

  #canvas; #message; #twin;
  #module = null;
  #ready; #resolveReady; #rejectReady;
  #started = false;
  #frame = 0; #timer = 0; #timerAt = Infinity;
  #observer = null; #media = null;
  #last = { cursor: -1, selection: -1, banner: '' };
  #utf8 = new TextEncoder();
  #live = null;

  constructor() {
    super();
    this.attachShadow({ mode: 'open' });
    this.shadowRoot.adoptedStyleSheets = [STYLE_SHEET];  // a policy without 'unsafe-inline' refuses a <style>
    this.shadowRoot.innerHTML = `
      <canvas tabindex="0" role="application" aria-roledescription="event graph viewer" aria-label="Run viewer. Press question mark for keys."></canvas>
      <div class="focus"></div>
      <div class="twin" role="region" aria-label="Run viewer in words">
        <p class="live" role="status" aria-live="polite"></p>
        <p class="banner" role="alert"></p>
        <table><caption>Events near the cursor</caption><thead><tr><th scope="col">Event</th><th scope="col">Time</th><th scope="col">Kind</th><th scope="col">What</th></tr></thead><tbody></tbody></table>
        <div class="commands" role="group" aria-label="Commands"></div>
      </div>`;
    this.#canvas = this.shadowRoot.querySelector('canvas');
    this.#twin = this.shadowRoot.querySelector('.twin');
    this.#ready = new Promise((resolve, reject) => { this.#resolveReady = resolve; this.#rejectReady = reject; });
    this.#ready.catch(() => {});
  }

  // Resolves when a trace can be shown.
  get ready() { return this.#ready; }

  connectedCallback() {
    if (!this.#started) {
      this.#started = true;
      this.#start().catch((error) => {
        this.#say(error.message);
        this.#rejectReady(error);
        this.dispatchEvent(new CustomEvent('error', { detail: { message: error.message } }));
      });
    } else {
      this.#watchSize();
    }
  }

  disconnectedCallback() {
    this.#observer?.disconnect();
    this.#observer = null;
    this.#media?.removeEventListener('change', this.#measure);
    this.#media = null;
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#timer);
    this.#frame = this.#timer = 0;
    this.#timerAt = Infinity;
  }

  attributeChangedCallback(name, before, value) {
    if (!this.#module || before === value) return;
    if (name === 'theme') this.command(value === 'light' ? 'theme.light' : 'theme.dark');
    if (name === 'preset' && value) this.command(`preset.${value}`);
  }

  async #start() {
    const [{ default: createViewer }, module] = await Promise.all([import(MODULE.href), compile()]);
    const host = {
      wantFrame: (delay) => this.#wantFrame(delay),
      setClipboard: (text) => navigator.clipboard?.writeText(text).catch(() => {}),
      setCursor: (shape) => { this.#canvas.style.cursor = CURSORS[shape]; },
      saveFile: (name, type, bytes) => this.#save(name, type, bytes),
      shareLink: (fragment) => {
        this.dispatchEvent(new CustomEvent('link', { detail: { fragment } }));
        const url = new URL(location.href);
        url.hash = fragment;
        navigator.clipboard?.writeText(url.href).catch(() => {});
      },
    };
    const m = await createViewer({
      host,
      instantiateWasm: (imports, done) => { WebAssembly.instantiate(module, imports).then((instance) => done(instance, module)); return {}; },
    });
    m.specialHTMLTargets['!viewer'] = this.#canvas;
    if (!this.#withText(m, '!viewer', (p) => m._viewer_start(p))) throw new Error('This browser gives no WebGL 2, which the viewer draws with.');
    this.#module = m;
    this.#canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.#say('The graphics context was lost. Reload the page to see the picture again.');
    });
    this.#listen();
    if (this.getAttribute('theme') === 'light') this.command('theme.light');
    if (this.getAttribute('preset')) this.command(`preset.${this.getAttribute('preset')}`);
    this.#makeButtons();
    this.#watchSize();
    this.#resolveReady(this);
    this.dispatchEvent(new CustomEvent('ready'));
  }

  // ---- traces

  async openBytes(bytes, name = 'trace') {
    await this.#ready;
    this.#live = null;
    const data = typeof bytes === 'string' ? this.#utf8.encode(bytes) : bytes;
    this.#call('viewer_open', name, 0);
    this.#feed(data);
    this.#module._viewer_finish(1);
    const state = this.state();
    this.#refresh(state);
    if (state.banner_is_error) throw new Error(state.banner);
    return { events: state.events };
  }

  async tail(text, name = 'live') {
    // In the order of the calls, even before the module is there.
    if (!this.#module) await this.#ready;
    if (text === null || this.#live === null) {
      this.#live = name;
      this.#call('viewer_open', name, 1);
      if (text === null) return;
    }
    this.#feed(this.#utf8.encode(text));
    if (/"k": ?"end"/.test(text)) this.finish();
  }

  finish() {
    if (this.#live === null) return;
    this.#live = null;
    this.#module._viewer_finish(0);
  }

  #feed(data) {
    const m = this.#module;
    const at = m._malloc(Math.max(1, Math.min(CHUNK, data.length)));
    try {
      for (let from = 0; from < data.length; from += CHUNK) {
        const part = data.subarray(from, from + CHUNK);
        m.HEAPU8.set(part, at);
        if (!m._viewer_feed(at, part.length)) break;
      }
    } finally {
      m._free(at);
    }
  }

  // ---- acting

  async goTo(seq) { await this.#ready; this.#module._viewer_goto(seq); }
  async select(call) { await this.#ready; this.#module._viewer_select(call); }
  async query(text) { await this.#ready; this.#call('viewer_query', text); }
  async link(fragment) { await this.#ready; this.#call('viewer_link', fragment.replace(/^#/, '')); }
  // False if there is no such command or it is not possible now. Before the module is loaded: a promise of that.
  command(id) {
    if (!this.#module) return this.#ready.then(() => this.command(id));
    if (id === 'open') { this.dispatchEvent(new CustomEvent('open-request')); return true; }
    return this.#call('viewer_command', id) !== 0;
  }
  commands() { return JSON.parse(this.#module.UTF8ToString(this.#module._viewer_commands())); }
  // Before the module is loaded: only that it is not.
  state() {
    if (!this.#module) return { ready: false, events: 0, frames: 0 };
    return JSON.parse(this.#module.UTF8ToString(this.#module._viewer_state()));
  }
  async script(text) {
    await this.#ready;
    const answer = this.#module.UTF8ToString(this.#call('viewer_script', text));
    return { ok: answer[0] === '1', log: answer.slice(1) };
  }
  async screenshot() {
    await this.#ready;
    // The drawing buffer can be read only in the turn in which it was drawn.
    this.#module._viewer_settle();
    return new Promise((resolve) => this.#canvas.toBlob(resolve, 'image/png'));
  }
  // Frames drawn so far.
  get frames() { return this.#module ? this.#module._viewer_frames() : 0; }

  // ---- frames

  #wantFrame(delay) {
    if (!this.isConnected) return;
    if (delay > 0) {
      const at = performance.now() + delay * 1000;
      if (this.#frame || at >= this.#timerAt) return;
      clearTimeout(this.#timer);
      this.#timerAt = at;
      this.#timer = setTimeout(() => { this.#timerAt = Infinity; this.#wantFrame(0); }, delay * 1000);
      return;
    }
    if (this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.#module) return;
      this.#module._viewer_frame();
      if (!this.#frame) this.#settled();
    });
  }

  // The picture stands still: tell what changed, and say it in words.
  #settled() { this.#refresh(this.state()); }

  #refresh(state) {
    const last = this.#last;
    if (state.cursor !== last.cursor) this.dispatchEvent(new CustomEvent('cursor', { detail: { seq: state.cursor } }));
    if (state.selection !== last.selection) this.dispatchEvent(new CustomEvent('select', { detail: { call: state.selection } }));
    if (state.banner !== last.banner && state.banner) this.dispatchEvent(new CustomEvent('error', { detail: { message: state.banner } }));
    if (state.cursor !== last.cursor || state.events !== last.events || state.banner !== last.banner || state.selection !== last.selection) {
      this.#tell(state);
    }
    this.#last = { cursor: state.cursor, selection: state.selection, banner: state.banner, events: state.events };
  }

  #tell(state) {
    const $ = (selector) => this.#twin.querySelector(selector);
    $('.live').textContent = state.selected ? `${state.live} ${state.selected.explain.join(' ')}` : state.live;
    $('.banner').textContent = state.banner;
    $('tbody').replaceChildren(...state.near.map((event) => {
      const row = document.createElement('tr');
      if (event.current) row.setAttribute('aria-current', 'true');
      for (const text of [event.seq, event.time, event.kind, event.text]) {
        const cell = document.createElement('td');
        cell.textContent = text;
        row.append(cell);
      }
      return row;
    }));
  }

  #makeButtons() {
    this.#twin.querySelector('.commands').replaceChildren(...this.commands().map((command) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.tabIndex = -1;  // the canvas has these as keys; a screen reader finds the buttons all the same
      button.dataset.command = command.id;
      button.textContent = command.key ? `${command.title} (${command.key})` : command.title;
      button.title = command.help;
      button.addEventListener('click', () => this.command(command.id));
      return button;
    }));
  }

  #say(text) {
    this.#message?.remove();
    this.#message = Object.assign(document.createElement('p'), { className: 'message', textContent: text });
    this.shadowRoot.append(this.#message);
  }

  #save(name, type, bytes) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([bytes], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  // ---- size and density

  #watchSize() {
    this.#observer?.disconnect();
    this.#observer = new ResizeObserver(this.#measure);
    this.#observer.observe(this);
    this.#measure();
  }

  #measure = () => {
    if (!this.#module) return;
    const density = window.devicePixelRatio || 1;
    const width = this.clientWidth, height = this.clientHeight;
    // A change of density (zoom, another screen) is no change of size.
    if (this.#media?.density !== density) {
      this.#media?.removeEventListener('change', this.#measure);
      this.#media = matchMedia(`(resolution: ${density}dppx)`);
      this.#media.density = density;
      this.#media.addEventListener('change', this.#measure);
    }
    if (width < 1 || height < 1) return;
    const pixelsX = Math.round(width * density), pixelsY = Math.round(height * density);
    if (this.#canvas.width !== pixelsX || this.#canvas.height !== pixelsY) {
      this.#canvas.width = pixelsX;
      this.#canvas.height = pixelsY;
      this.#module._viewer_resize(pixelsX / density, pixelsY / density, density);
      // Setting the size cleared the canvas: draw before the page shows it.
      this.#module._viewer_frame();
    }
  };

  // ---- input

  #listen() {
    const canvas = this.#canvas, m = this.#module;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const button = (event) => [0, 2, 1][event.button] ?? event.button;  // ours: left, right, middle
    const modifiers = (event) => (event.ctrlKey ? 1 : 0) | (event.shiftKey ? 2 : 0) | (event.altKey ? 4 : 0) | (event.metaKey ? 8 : 0);
    const touches = new Map();
    let pinch = 0;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.focus({ preventScroll: true });
      canvas.setPointerCapture(event.pointerId);
      if (event.pointerType === 'touch') touches.set(event.pointerId, at(event));
      if (touches.size > 1) { m._viewer_pointer(2, ...at(event), 0, 1); pinch = 0; return; }
      m._viewer_pointer(1, ...at(event), button(event), event.pointerType === 'touch' ? 1 : 0);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (touches.has(event.pointerId)) touches.set(event.pointerId, at(event));
      if (touches.size === 2) {  // two fingers zoom
        const [[ax, ay], [bx, by]] = [...touches.values()];
        const spread = Math.hypot(ax - bx, ay - by);
        if (pinch) { m._viewer_pointer(0, (ax + bx) / 2, (ay + by) / 2, 0, 1); m._viewer_wheel(0, Math.log(spread / pinch) / Math.log(1.2)); }
        pinch = spread;
        return;
      }
      m._viewer_pointer(0, ...at(event), 0, event.pointerType === 'touch' ? 1 : 0);
    });
    const up = (event) => {
      const several = touches.size > 1;
      touches.delete(event.pointerId);
      pinch = 0;
      if (!several) m._viewer_pointer(2, ...at(event), button(event), event.pointerType === 'touch' ? 1 : 0);
    };
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('pointerleave', () => m._viewer_pointer(3, 0, 0, 0, 0));
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    // The page scrolls unless the viewer has the focus: nobody is caught in it. Ctrl+wheel is the browser's zoom.
    canvas.addEventListener('wheel', (event) => {
      if (this.shadowRoot.activeElement !== canvas || event.ctrlKey) return;
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 1 / 3 : event.deltaMode === 2 ? 3 : 1 / 100;
      this.#call('viewer_key', '', 0, modifiers(event));  // Shift+wheel pans
      m._viewer_wheel(-event.deltaX * unit, -event.deltaY * unit);
    }, { passive: false });
    canvas.addEventListener('keydown', (event) => {
      // Browser shortcuts are left alone; a text field of ours takes the editing ones.
      const shortcut = event.ctrlKey || event.metaKey || event.altKey;
      const editing = m._viewer_wants_text() && /^Key[ACXZ]$/.test(event.code) && !event.altKey;
      const arrows = event.ctrlKey && /^Arrow(Left|Right)$/.test(event.code);
      if (shortcut && !editing && !arrows) return;
      if (event.code === 'Tab' || /^F\d+$/.test(event.code)) return;
      event.preventDefault();
      if (event.repeat) this.#call('viewer_key', event.code, 0, modifiers(event));
      this.#call('viewer_key', event.code, 1, modifiers(event));
      if (!shortcut && [...event.key].length === 1) this.#call('viewer_text', event.key);
    });
    canvas.addEventListener('keyup', (event) => this.#call('viewer_key', event.code, 0, modifiers(event)));
    canvas.addEventListener('paste', (event) => {
      if (!m._viewer_wants_text()) return;
      event.preventDefault();
      this.#call('viewer_text', event.clipboardData.getData('text/plain').replace(/\s+/g, ' '));
    });
    canvas.addEventListener('focus', () => m._viewer_focus(1));
    canvas.addEventListener('blur', () => m._viewer_focus(0));
    if (this.shadowRoot.activeElement === canvas) m._viewer_focus(1);
  }

  // Calls an export whose first argument is a text.
  #call(name, text, ...rest) { return this.#withText(this.#module, text, (p) => this.#module[`_${name}`](p, ...rest)); }

  #withText(m, text, use) {
    const bytes = this.#utf8.encode(text);
    const at = m._malloc(bytes.length + 1);
    try {
      m.HEAPU8.set(bytes, at);
      m.HEAPU8[at + bytes.length] = 0;
      return use(at);
    } finally {
      m._free(at);
    }
  }
}

customElements.define('pysolate-viewer', PysolateViewer);
