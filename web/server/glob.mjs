// Glob patterns over snapshot paths, as Python's `Path.glob` reads them: `*` and `?` stay inside one part, `[a-z]` and
// `[!a-z]` are classes, `**` as a whole part spans any number of parts, `{a,b}` is not special. Matching is done part by
// part with two-pointer backtracking: O(pattern x path), no regular expression, so no pattern can hang the server.

import { fail } from './errors.mjs';
import { show } from './paths.mjs';

// -> (path: string) => boolean
export function compileGlob(pattern) {
  if (typeof pattern !== 'string') fail('TypeError', 'a glob pattern is a string');
  if (pattern === '') fail('ValueError', 'the glob pattern is empty');
  if (pattern.length > 1024) fail('ValueError', 'the glob pattern is longer than 1024 characters');
  if (pattern.startsWith('/')) fail('ValueError', `glob pattern ${show(pattern)} is absolute; patterns are relative to the workspace`);
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) fail('PermissionError', `glob pattern ${show(pattern)} leaves the workspace`);
  const compiled = parts.map((part) => (part === '**' ? null : compilePart(part)));
  return (path) => matchParts(compiled, path.split('/'));
}

// Sequence of tokens: '*', or a predicate on one character.
function compilePart(part) {
  const tokens = [];
  const chars = [...part];
  for (let i = 0; i < chars.length; i++) {
    const c = chars[i];
    if (c === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (c === '?') {
      tokens.push(() => true);
    } else if (c === '[') {
      const end = chars.indexOf(']', i + (chars[i + 1] === '!' ? 3 : 2));
      if (end < 0) tokens.push((x) => x === '[');
      else {
        tokens.push(charClass(chars.slice(i + 1, end)));
        i = end;
      }
    } else {
      tokens.push((x) => x === c);
    }
  }
  return tokens;
}

function charClass(chars) {
  const negated = chars[0] === '!';
  const body = negated ? chars.slice(1) : chars;
  const ranges = [];
  for (let i = 0; i < body.length; i++) {
    if (body[i + 1] === '-' && i + 2 < body.length) {
      ranges.push([body[i], body[i + 2]]);
      i += 2;
    } else {
      ranges.push([body[i], body[i]]);
    }
  }
  return (x) => ranges.some(([low, high]) => low <= x && x <= high) !== negated;
}

// Greedy with one remembered star, for a list of items: `isStar(p)` spans any number of items, `fits(p, item)` exactly one.
function matchStars(patterns, items, isStar, fits) {
  let p = 0, i = 0, star = -1, resume = 0;
  while (i < items.length) {
    if (p < patterns.length && isStar(patterns[p])) {
      star = p++;
      resume = i;
    } else if (p < patterns.length && fits(patterns[p], items[i])) {
      p++;
      i++;
    } else if (star >= 0) {
      p = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  while (p < patterns.length && isStar(patterns[p])) p++;
  return p === patterns.length;
}

const matchText = (tokens, text) => matchStars(tokens, [...text], (t) => t === '*', (t, c) => t(c));

const matchParts = (parts, path) => matchStars(parts, path, (p) => p === null, (p, text) => matchText(p, text));
