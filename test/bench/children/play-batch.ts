import { playBatch } from '../../../src/simulation/laboratory/batch.ts';
import type { SetUp } from '../../../src/simulation/laboratory/set-up.ts';
import { report } from '../child.ts';

/** Plays a set-up, given as JSON. */
const [setUp = ''] = process.argv.slice(2);
await report(async () => {
  for (const _ of playBatch(JSON.parse(setUp) as SetUp));
  return undefined;
});
