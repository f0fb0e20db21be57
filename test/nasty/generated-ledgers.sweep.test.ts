import fc from 'fast-check';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../release/temporary-folder.ts';
import { isSweep } from '../setups/sweep.ts';
import { nastyLedger } from './generated-ledger.ts';
import { publishNasty } from './nasty-ledger.ts';

/** `npm run faults`: other ledgers each time, with pages. `npm test` has one that is always the same, without. */
const RUNS = isSweep ? { numRuns: 100, endOnFailure: true } : { numRuns: 1, seed: 2 };

test('whatever the schemas of the events allow is published, in many runs as in one', {
  timeout: isSweep ? 100 * 600_000 : 300_000,
}, async () => {
  const publishes = fc.asyncProperty(nastyLedger(isSweep ? 200 : 80), async (ledger) => {
    const more = { site: isSweep, charts: isSweep };
    expect((await publishNasty(await temporaryFolder(), ledger, more)).problems).toEqual([]);
  });
  await fc.assert(publishes, RUNS);
});
