// Directories made for one test and removed after it.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

// `files`: {path: text | Buffer | {link: target}}. Removed when the test `t` ends.
export function makeTree(t, files) {
  const root = mkdtempSync(join(tmpdir(), 'pysolate-tree-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    if (Object.hasOwn(Object(content), 'link')) symlinkSync(content.link, file);
    else writeFileSync(file, content);
  }
  return root;
}
