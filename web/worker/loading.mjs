// Fetches the large files first, to show how far they are; Pyodide then finds them in the browser's cache.

// `files`: addresses. `onProgress(fraction)` hears of bytes received over all bytes; files of unknown size count as equal.
export async function prefetch(files, onProgress) {
  const parts = files.map(() => 0);
  const tell = () => onProgress(parts.reduce((a, b) => a + b, 0) / parts.length);
  await Promise.all(files.map(async (file, i) => {
    const response = await fetch(file);
    if (!response.ok) throw new Error(`${new URL(file).pathname}: HTTP ${response.status}`);
    const total = Number(response.headers.get('content-length'));
    let received = 0;
    for (const reader = response.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      received += value.length;
      if (total) parts[i] = Math.min(1, received / total);
      tell();
    }
    parts[i] = 1;
    tell();
  }));
}
