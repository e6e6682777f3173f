// The page's npm packages, for tests that live outside web/.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const need = createRequire(join(PROJECT, 'web', 'package.json'));
