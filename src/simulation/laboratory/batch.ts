import { playRow, type RunRow } from './run-row.ts';
import { partsOf, type SetUp } from './set-up.ts';

/** All runs of a set-up, in order of their parts and seeds. One at a time, so that whoever plays them can tell how far they are. */
export function* playBatch(setUp: SetUp): Generator<RunRow, void> {
  const { from, to } = setUp.seeds;
  for (const [place, part] of partsOf(setUp).entries())
    for (let seed = from; seed <= to; seed += 1) yield playRow(setUp, part, place, seed);
}
