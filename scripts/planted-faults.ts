/**
 * `npm run faults -- --planted [ROOM …]`: plants each fault of test/faults/planted, or with --seed mechanical ones, in a copy of the
 * checkout, and says which test finds it. CONTRIBUTING.md describes the options.
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { areAllFound, plantFaults, tableOf } from '../test/faults/planting/plant-faults.ts';
import { seededFaults } from '../test/faults/planting/seeded.ts';
import { handMadeFaults, PROJECT, withFault } from '../test/faults/planting/tables.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    planted: { type: 'boolean' },
    list: { type: 'boolean' },
    name: { type: 'string' },
    seed: { type: 'string' },
    count: { type: 'string', default: '80' },
    tree: { type: 'string' },
    tests: { type: 'string' },
    minutes: { type: 'string' },
    out: { type: 'string' },
  },
});

const tree = values.tree === undefined ? PROJECT : resolve(values.tree);
const all = values.seed
  ? await seededFaults(tree, Number(values.seed), Number(values.count))
  : await handMadeFaults();
const unknown = positionals.filter((room) => !all.some((fault) => fault.room === room));
if (unknown.length > 0) throw new Error(`no faults in: ${unknown.join(', ')}`);
const chosen = all
  .filter(({ room }) => positionals.length === 0 || positionals.includes(room))
  .filter(({ name }) => name.includes(values.name ?? ''));

// In an older checkout the code may be another; in this one, a fault that cannot be planted is out of date.
const faults = [];
let outOfDate = 0;
for (const fault of chosen) {
  const problem = await withFault(tree, fault).then(
    () => null,
    (error: Error) => error.message,
  );
  if (problem === null) faults.push(fault);
  else {
    console.log(`OUT OF DATE · ${fault.room} · ${problem}`);
    outOfDate++;
  }
}

if (values.list) {
  for (const { room, name, breaks, file } of faults) console.log(`${room} · ${name} · ${file} · ${breaks}`);
  console.log(`${faults.length} faults`);
} else {
  const outcomes = await plantFaults({
    faults,
    tree,
    say: console.log,
    ...(values.tests === undefined ? {} : { testsOf: JSON.parse(await readFile(values.tests, 'utf8')) }),
    ...(values.minutes === undefined ? {} : { minutes: Number(values.minutes) }),
    ...(values.out === undefined ? {} : { out: values.out }),
  });
  console.log(`\n${tableOf(outcomes)}`);
  if (!areAllFound(outcomes)) process.exitCode = 1;
}
if (outOfDate > 0) process.exitCode = 1;
