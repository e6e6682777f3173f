// The divider between program and graph: by pointer, and by keys as the ARIA separator pattern says.

// `panes`: the grid whose --split (percent) it sets.
export function installDivider(divider, panes) {
  const least = Number(divider.getAttribute('aria-valuemin'));
  const most = Number(divider.getAttribute('aria-valuemax'));
  const first = Number(divider.getAttribute('aria-valuenow'));
  const set = (percent) => {
    const value = Math.round(Math.max(least, Math.min(most, percent)) * 10) / 10;
    panes.style.setProperty('--split', value);
    divider.setAttribute('aria-valuenow', value);
  };
  const now = () => Number(divider.getAttribute('aria-valuenow'));

  divider.addEventListener('pointerdown', (event) => {
    divider.setPointerCapture(event.pointerId);
    event.preventDefault();
    divider.focus();
  });
  divider.addEventListener('pointermove', (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    const box = panes.getBoundingClientRect();
    set(((event.clientX - box.left) / box.width) * 100);
  });
  divider.addEventListener('dblclick', () => set(first));
  divider.addEventListener('keydown', (event) => {
    const to = { ArrowLeft: now() - 2, ArrowRight: now() + 2, Home: least, End: most, Enter: first }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(to);
  });
}
