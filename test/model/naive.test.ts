import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { LEDGER_START, type Leaf, type LedgerPosition } from '../../pipeline/ledger/log/leaf.ts';
import { openDirectory } from '../../pipeline/ledger/reading/directory.ts';
import { readSnapshot } from '../../pipeline/ledger/reading/read-snapshot.ts';
import { demoSigner } from '../../pipeline/ledger/writing/demo-key.ts';
import { emptyState } from '../../pipeline/model/empty-state.ts';
import { apply } from '../../pipeline/model/fold.ts';
import { drift } from '../../pipeline/model/queries/drift.ts';
import { metrics } from '../../pipeline/model/queries/metrics.ts';
import { roi } from '../../pipeline/model/queries/roi.ts';
import { sentinelDays } from '../../pipeline/model/queries/sentinel-days.ts';
import { supply } from '../../pipeline/model/queries/supply.ts';
import { finance, governance, operations } from '../../pipeline/model/queries/transparency.ts';
import type { State } from '../../pipeline/model/state.ts';
import { writeSample } from '../../pipeline/sample/write-sample.ts';
import { useFolder } from '../setups/use-folder.ts';
import { naiveDrift, naiveMetrics, naiveRoi, naiveSentinelDays, naiveSupply, naiveYear } from './naive.ts';

const folder = useFolder();
let leaves: Leaf[];

beforeAll(async () => {
  await writeSample({ out: join(folder, 'ledger'), to: '2025-08-31', seed: 3 });
  leaves = await readAll(join(folder, 'ledger'));
});

async function readAll(ledger: string): Promise<Leaf[]> {
  const all: Leaf[] = [];
  let position: LedgerPosition = LEDGER_START;
  for (const file of await openDirectory(ledger).snapshots(null)) {
    const batches = readSnapshot(file, position, [demoSigner().verifier]);
    let batch = await batches.next();
    for (; !batch.done; batch = await batches.next()) all.push(...batch.value);
    position = batch.value.position;
  }
  return all;
}

const fold = (upTo: number): State => leaves.slice(0, upTo).reduce(apply, emptyState());
/** Several ends of the ledger: within the first thirty days, just after them, and later. */
const ENDS = [0.4, 0.52, 1];

describe('the fold agrees with a computation from the raw events at any point of the ledger', () => {
  test.each(ENDS)('%f of it', (part) => {
    const end = Math.floor(leaves.length * part);
    const events = leaves.slice(0, end).map(({ event }) => event);
    const state = fold(end);
    expect(supply(state)).toEqual(naiveSupply(events));
    const naive = naiveMetrics(events);
    for (const [metric, value] of Object.entries(metrics(state))) expectClose(value, naive[metric]!, metric);
    const { score, trends } = naiveDrift(events);
    expectClose(drift(state).drift_score, score);
    for (const { metric, drift: change } of drift(state).trends) expectClose(change, trends[metric]!, metric);
    for (const [id, sentinel] of Object.entries(state.sentinels)) {
      expectClose(roi(sentinel), naiveRoi(events, id), id);
    }
  });

  test.each(ENDS)(
    '%f of it: the sums of the year and of its months, and the sentinels of the day',
    (part) => {
      const end = Math.floor(leaves.length * part);
      const events = leaves.slice(0, end).map(({ event }) => event);
      const state = fold(end);
      const { months, ...year } = naiveYear(events);
      expect({ ...operations(state), ...governance(state), ...finance(state) }).toMatchObject(year);
      const found = finance(state).months;
      expect(found).toHaveLength(months.length);
      for (const [at, { mii_mean, ...month }] of months.entries()) {
        expect(found[at]).toMatchObject(month);
        expectClose(found[at]!.mii_mean, mii_mean, month.month);
      }
      expect(sentinelDays(state)).toMatchObject(naiveSentinelDays(events));
    },
  );
});

/** Numbers rounded to ten places. Unmeasured values are null in both. */
function expectClose(value: number | null, expected: number | null, what?: string): void {
  if (value === null || expected === null) expect(value, what).toBe(expected);
  else expect(value, what).toBeCloseTo(expected, 10);
}
