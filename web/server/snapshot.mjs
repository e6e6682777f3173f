// A workspace root frozen at one moment: what is there, by normalized path, and a content id over it.
//
// Listings are answered from here, so that they can't change during a run. A file's bytes are read from the disk and
// held against the entry (device, inode, size, modification and change time) before and after the read: bytes that do
// not belong to the snapshot are never returned, the reader gets an OSError that names the file (marked `changed`). The same check
// keeps reads inside the root: a directory swapped for a link after the scan leads to another inode.
//
// Links are listed as links and never followed. Special files, names that are not UTF-8 and names with a backslash or a
// control character are left out and counted.

import { createHash } from 'node:crypto';
import { constants, promises as fs } from 'node:fs';
import { join } from 'node:path';

import { ToolFailure, fail } from './errors.mjs';
import { show } from './paths.mjs';

export const SKIPPED_BY_DEFAULT = ['.git', 'build', 'node_modules', '__pycache__'];
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const STAT = { bigint: true };

export class Snapshot {
  // Reads the whole tree below `directory`. `limits`: `entries`, `file_bytes`. `skip`: directory names left out.
  // Throws ToolFailure if there are too many entries or the root can't be read.
  static async take(directory, { skip = SKIPPED_BY_DEFAULT, limits }) {
    const snapshot = new Snapshot(await fs.realpath(directory), limits);
    await snapshot.#scan('', new Set(skip));
    snapshot.#seal();
    return snapshot;
  }

  constructor(directory, limits) {
    this.directory = directory;
    this.limits = limits;
    this.entries = new Map([['', { kind: 'directory', names: [] }]]);
    this.skipped = { directories: 0, special: 0, names: 0 };
    this.content = '';  // content id: equal ids mean equal listings and stats
  }

  get files() {
    let n = 0;
    for (const entry of this.entries.values()) if (entry.kind === 'file') n++;
    return n;
  }

  // The entry at a normalized path, or undefined.
  find(path) {
    return this.entries.get(path);
  }

  // The bytes of a file as they were when the snapshot was taken.
  async read(path) {
    const entry = this.find(path);
    if (!entry) fail('FileNotFoundError', `no such file in the workspace: ${show(path)}`);
    if (entry.kind === 'directory') fail('IsADirectoryError', `is a directory: ${show(path)}`);
    if (entry.kind === 'link') fail('PermissionError', `is a symbolic link, and links are not followed: ${show(path)}`);
    if (entry.size > this.limits.file_bytes) {
      fail('ValueError', `${show(path)} has ${entry.size} bytes; the limit for one read is ${this.limits.file_bytes}`);
    }
    let file;
    try {
      file = await fs.open(join(this.directory, path), OPEN_FLAGS);
    } catch (error) {
      if (error.code === 'EACCES' || error.code === 'EPERM') fail('PermissionError', `not readable: ${show(path)}`);
      if (error.code === 'EMFILE' || error.code === 'ENFILE') fail('OSError', 'the server has too many files open', 'transient');
      throw changed(path, 'it is gone or was replaced');
    }
    try {
      if (stamp(await file.stat(STAT)) !== entry.stamp) throw changed(path, 'it was changed');
      const bytes = Buffer.alloc(entry.size);
      let filled = 0;
      while (filled < bytes.length) {
        const { bytesRead } = await file.read(bytes, filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (stamp(await file.stat(STAT)) !== entry.stamp || filled !== entry.size) throw changed(path, 'it was changed');
      return bytes;
    } finally {
      await file.close();
    }
  }

  async #scan(path, skip) {
    const here = this.entries.get(path);
    let found;
    try {
      found = await fs.readdir(join(this.directory, path), { withFileTypes: true, encoding: 'buffer' });
    } catch (error) {
      if (path === '') fail('OSError', `the workspace can't be read: ${error.code}`);
      here.unreadable = true;
      return;
    }
    const below = [];
    for (const item of found) {
      const name = item.name.toString('utf8');
      if (!Buffer.from(name, 'utf8').equals(item.name) || /[\u0000-\u001f\u007f\\]/.test(name)) {
        this.skipped.names++;
        continue;
      }
      if (item.isDirectory() && skip.has(name)) {
        this.skipped.directories++;
        continue;
      }
      const child = path === '' ? name : `${path}/${name}`;
      if (item.isDirectory()) {
        this.entries.set(child, { kind: 'directory', names: [] });
        below.push(child);
      } else if (item.isSymbolicLink()) {
        this.entries.set(child, { kind: 'link' });
      } else if (item.isFile()) {
        const stat = await fs.lstat(join(this.directory, child), STAT).catch(() => null);
        if (!stat?.isFile()) continue;  // gone or replaced while we looked: not part of the snapshot
        this.entries.set(child, { kind: 'file', size: Number(stat.size), stamp: stamp(stat) });
      } else {
        this.skipped.special++;
        continue;
      }
      here.names.push(name);
      if (this.entries.size > this.limits.entries) {
        fail('OSError', `the workspace has more than ${this.limits.entries} entries; choose a smaller directory with --workspace`);
      }
    }
    here.names.sort(byCodePoint);
    for (const child of below) await this.#scan(child, skip);
  }

  #seal() {
    const hash = createHash('sha256');
    for (const path of [...this.entries.keys()].sort(byCodePoint)) {
      const entry = this.entries.get(path);
      hash.update(`${entry.kind}\0${path}\0${entry.stamp ?? ''}\n`);
    }
    this.content = hash.digest('hex').slice(0, 16);
  }
}

// Python orders strings by code point, JavaScript by UTF-16 unit: UTF-8 bytes order as code points do.
export function byCodePoint(a, b) {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}

function stamp(stat) {
  return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

function changed(path, how) {
  const failure = new ToolFailure('OSError', `${show(path)} is no longer what the snapshot saw: ${how}; run again to take a new one`);
  failure.changed = path;
  return failure;
}
