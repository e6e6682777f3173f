// The whole corpus in a real Pyodide, in both modes: what every program observes, and makespans beside the corpus' own.
//
//   node --experimental-wasm-stack-switching --test tests/python/pyodide_corpus.test.mjs
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import {after, before, test} from 'node:test';

import {ROOT, attach} from './pyodide_support.mjs';

const CORPUS = path.join(ROOT, 'tests', 'python', 'corpus');
const NAMES = fs.readdirSync(path.join(CORPUS, 'programs')).filter((f) => f.endsWith('.py')).sort();
const OBSERVED = ['stdout', 'exception', 'bindings', 'effects', 'ordered_log'];

// Runs in Pyodide: one virtual run of a program with the corpus' toolset.
const RUN = `
import json, pysolate, sys
from pysolate.toolset import Toolset, headers
sys.path.insert(0, "/corpus")
import toolset

def run(name, source, how):
    result = pysolate.run(source, Toolset(toolset, source), virtual=True, program=name,
                          budget=headers(source)["budget"], trace=True, **json.loads(how))
    return json.dumps({"report": result.report, "trace": result.trace})
run
`;

let session;
let run;
const rows = [];

before(async () => {
  session = await attach();
  const {FS} = session.pyodide;
  FS.mkdirTree('/corpus');
  FS.writeFile('/corpus/toolset.py', fs.readFileSync(path.join(CORPUS, 'toolset.py'), 'utf8'));
  run = await session.pyodide.runPythonAsync(RUN);
});

after(() => {
  console.log('program                       sequential   ideal  overlap guessing');
  for (const [name, right, overlap, guessing] of rows) {
    console.log(name.padEnd(28), String(right.sequential_units).padStart(11), String(right.ideal_units).padStart(7),
        String(overlap).padStart(8), String(guessing).padStart(8));
  }
  run?.destroy();
  session.host.close();
});

for (const name of NAMES) {
  test(name, () => {
    const source = fs.readFileSync(path.join(CORPUS, 'programs', name), 'utf8');
    const right = JSON.parse(fs.readFileSync(path.join(CORPUS, 'expected', name.replace(/\.py$/, '.json')), 'utf8'));
    const makespans = [];
    for (const how of [{mode: 'sequential'}, {}, {order_seed: 1}, {order_seed: 2}, {speculate: true}]) {
      const {report, trace} = JSON.parse(run(name, source, JSON.stringify(how)));
      for (const field of OBSERVED) {
        assert.deepEqual(report[field], right[field], `${field} with ${JSON.stringify(how)}`);
      }
      assert.ok(report.ledger.balanced);
      assert.ok(!report.notes.some((note) => note.text.includes('failed and stopped')), JSON.stringify(report.notes));
      assert.match(trace, /^\{"seq":1,"t":0,"k":"run"/);
      makespans.push(report.makespan);
    }
    assert.equal(makespans[0], right.sequential_units);
    for (const units of makespans) assert.ok(units <= right.sequential_units, `${units} units`);
    rows.push([name, right, makespans[1], makespans[4]]);
  });
}
