import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { isLongSweep } from '../setups/sweep.ts';
import { nastyLedger } from './generated-ledger.ts';
import { publishNasty } from './nasty-ledger.ts';

/** `npm run faults`: other ledgers each time, with pages. `npm run test:all` has one that is always the same, without. */
const RUNS = isLongSweep ? { numRuns: 100, endOnFailure: true } : { numRuns: 1, seed: 2 };

test('whatever the schemas of the events allow is published, in many runs as in one', {
  timeout: isLongSweep ? 100 * 600_000 : 300_000,
}, async () => {
  const publishes = fc.asyncProperty(nastyLedger(isLongSweep ? 200 : 80), async (ledger) => {
    const more = { site: isLongSweep, charts: isLongSweep };
    expect((await publishNasty(await temporaryFolder(), ledger, more)).problems).toEqual([]);
  });
  await fc.assert(publishes, RUNS);
});
