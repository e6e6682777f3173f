// Instantiates the core in a page, a worker or Node. `createPysolate` of pysolate_core.mjs can be used as it is in the
// first two; Node has to be given the bytes.
import createPysolate from './pysolate_core.mjs';

/**
 * @param {{wasmBinary?: ArrayBuffer | Uint8Array, locateFile?: (file: string) => string}} [options]
 * @returns {Promise<import('./pysolate.d.ts').Core>}
 */
export async function loadPysolate(options = {}) {
  const given = { ...options };
  const inNode = typeof process === 'object' && process.versions?.node !== undefined && typeof window === 'undefined';
  if (inNode && given.wasmBinary === undefined) {
    const { readFile } = await import('node:fs/promises');
    given.wasmBinary = await readFile(new URL('./pysolate_core.wasm', import.meta.url));
  }
  return createPysolate(given);
}

export default loadPysolate;
