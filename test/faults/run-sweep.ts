/**
 * `node run-sweep.ts [--all] [--wrong NAME] [SCENARIO …]`: disturbs runs and says what was wrong afterwards, as JSON lines.
 * Without --all a choice: each line of the program that makes a call, once. With --wrong it is a
 * program with that mistake, until one finding shows it.
 */
import { parseArgs } from 'node:util';
import { patchRandom } from './fixed-random.ts';
import { patchFs } from './patch-fs.ts';
import { plantMistake } from './wrong-publishers.ts';

const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean' }, wrong: { type: 'string' } },
  allowPositionals: true,
});
const extent = values.wrong ? 'until one is found' : values.all ? 'all' : 'some';
if (values.wrong) plantMistake(values.wrong);
patchRandom();
await patchFs();
// After that, for what it imports is to write with what was put there.
const { sweepAll } = await import('./sweep-all.ts');
await sweepAll(positionals, {
  extent,
  tell: (line) => console.log(JSON.stringify(line)),
});
