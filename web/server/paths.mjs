// Paths as a program may write them -> the one spelling under which the snapshot knows a file.
//
// A path is relative to the root, its parts are divided by `/`; "" and "." are the root itself. `..` is resolved by
// text, which is exact because the snapshot holds no links. Anything that could mean another place on some system is
// refused with a reason instead of being repaired: absolute paths, drive letters, backslashes, NUL and other control
// characters, lone surrogates, and every `..` that climbs out. Nothing is decoded: `%2e%2e` is a name like any other.

import { fail } from './errors.mjs';

export const MAX_PATH = 4096;

// -> normalized path without leading, trailing or doubled slashes. Throws ToolFailure with a Python exception type.
export function normalize(path) {
  if (typeof path !== 'string') fail('TypeError', `a path is a string, not ${typeName(path)}`);
  if (path.length > MAX_PATH) fail('ValueError', `path is longer than ${MAX_PATH} characters`);
  if (!path.isWellFormed()) fail('ValueError', `path ${show(path)} is not valid Unicode`);
  if (/[\u0000-\u001f\u007f]/.test(path)) fail('ValueError', `path ${show(path)} contains a control character`);
  if (path.includes('\\')) fail('ValueError', `path ${show(path)} contains a backslash; parts are divided by "/"`);
  if (path.startsWith('/')) fail('PermissionError', `path ${show(path)} is absolute; paths are relative to the workspace`);
  if (/^[A-Za-z]:/.test(path)) fail('PermissionError', `path ${show(path)} names a drive; paths are relative to the workspace`);
  const parts = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) fail('PermissionError', `path ${show(path)} leaves the workspace`);
  }
  return parts.join('/');
}

// A path inside a message: quoted, control characters visible, cut.
export function show(path) {
  const text = JSON.stringify(path.toWellFormed());
  return text.length > 200 ? `${text.slice(0, 199)}…"` : text;
}

function typeName(value) {
  if (value === null) return 'None';
  return Array.isArray(value) ? 'list' : typeof value;
}
