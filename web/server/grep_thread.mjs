// Runs one regular expression over texts; see workspace.mjs for why in a thread.
import { parentPort, workerData } from 'node:worker_threads';

import { collect } from './workspace.mjs';

const { texts, pattern, ignoreCase, limits } = workerData;
const regex = new RegExp(pattern, ignoreCase ? 'iu' : 'u');
parentPort.postMessage(collect(texts, (line) => regex.test(line), limits));
