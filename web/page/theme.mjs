// The theme switch: system, light or dark; remembered where the browser lets us.

const KEY = 'pysolate.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

// Wires the <select>. `onChange(theme)` hears 'light' or 'dark', at once and on every change.
export function installTheme(select, onChange) {
  const stored = read();
  if ([...select.options].some((option) => option.value === stored)) select.value = stored;
  const apply = () => {
    const system = select.value === 'system';
    if (system) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = select.value;
    onChange(system ? (dark.matches ? 'dark' : 'light') : select.value);
  };
  select.addEventListener('change', () => {
    write(select.value);
    apply();
  });
  dark.addEventListener('change', apply);
  apply();
}

// Storage may be refused (private windows, policies): then the choice lasts as long as the page.
function read() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function write(value) {
  try {
    localStorage.setItem(KEY, value);
  } catch {}
}
