// Serves the built page and the workspace tools on 127.0.0.1.
//
//   node web/server/serve.mjs [--port N] [--site DIR] [--workspace DIR] [--delay MS] [--connect ORIGIN]... [--no-isolation]
//
//   --port N          listen there, or fail (default: 8765, or the next free one)
//   --site DIR        the built page (default: build/site)
//   --workspace DIR   the files that the page's tools may read (default: the project's checkout)
//   --delay MS        answer each tool request that much later, to see the waiting
//   --connect ORIGIN  let the page's fetch reach this origin ("https://api.example.org"; "https:" is every https site)
//   --no-isolation    without cross-origin isolation, as a plain static host would serve the page

import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { startServer } from './server.mjs';

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const FIRST_PORT = 8765;
const TRIES = 20;

function die(text) {
  console.error(`serve: ${text}`);
  process.exit(2);
}

function number(name, text, max) {
  if (!/^\d+$/.test(text) || Number(text) > max) die(`--${name} needs a whole number up to ${max}, not "${text}"`);
  return Number(text);
}

function readOptions() {
  let values;
  try {
    ({ values } = parseArgs({
      options: {
        port: { type: 'string' },
        site: { type: 'string', default: join(PROJECT, 'build', 'site') },
        workspace: { type: 'string', default: PROJECT },
        delay: { type: 'string', default: '0' },
        connect: { type: 'string', multiple: true, default: [] },
        'no-isolation': { type: 'boolean', default: false },
      },
    }));
  } catch (error) {
    die(error.message);
  }
  const site = resolve(values.site);
  const workspace = resolve(values.workspace);
  if (!existsSync(join(site, 'index.html'))) die(`no page in ${site}; build it with: node web/build.mjs`);
  if (!existsSync(workspace) || !statSync(workspace).isDirectory()) die(`--workspace ${workspace} is not a directory`);
  for (const source of values.connect) {
    // One CSP source, and nothing that could end the directive.
    if (!/^(https?:|wss?:|(https?|wss?):\/\/[A-Za-z0-9.*-]+(:(\d+|\*))?)$/.test(source)) die(`--connect needs an origin such as https://api.example.org, not "${source}"`);
  }
  return {
    site,
    workspace,
    connect: values.connect,
    delay: number('delay', values.delay, 60_000),
    port: values.port === undefined ? undefined : number('port', values.port, 65_535),
    isolated: !values['no-isolation'],
  };
}

async function start(options) {
  if (options.port !== undefined) return startServer(options);
  for (let port = FIRST_PORT; ; port++) {
    try {
      return await startServer({ ...options, port });
    } catch (error) {
      if (error.code !== 'EADDRINUSE' || port === FIRST_PORT + TRIES) throw error;
    }
  }
}

const options = readOptions();
let server;
try {
  server = await start(options);
} catch (error) {
  die(error.code === 'EADDRINUSE' ? `port ${options.port ?? FIRST_PORT} is taken` : error.message);
}
console.log(`Pysolate    ${server.url}`);
console.log(`Workspace   ${options.workspace}${options.delay ? `, answers delayed by ${options.delay} ms` : ''}`);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await server.close();
    process.exit(0);
  });
}
