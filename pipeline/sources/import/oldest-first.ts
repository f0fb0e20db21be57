import { CathedralError } from '../../errors.ts';
import { MAX_AHEAD_MS } from '../../ledger/events/draft.ts';
import { SEAL_DELAY_MS, slotStart } from './imported-row.ts';
import { type RowSource, rowPlace, type SourceRow } from './source.ts';

/** Rows of a first import that are looked at before any is taken. */
const LOOKED_AT = 1000;

/**
 * The rows of a first import, of which the first thousand are looked at before one is taken. A ledger cannot go back in time: where the
 * newest row comes first, all others would get its time, signed for good, and where a ledger of `ledger init` begins after the rows, they would
 * get that of its genesis. A few rows that come late are reported instead. `begin`: the time of the ledger's last event; null without one.
 */
export async function* oldestFirst(
  batches: AsyncIterable<readonly SourceRow[]>,
  source: RowSource,
  now: number,
  begin: string | null,
): AsyncGenerator<readonly SourceRow[]> {
  let first: SourceRow[] | null = [];
  for await (const batch of batches) {
    if (first === null) {
      yield batch;
      continue;
    }
    first.push(...batch);
    if (first.length < LOOKED_AT) continue;
    assertInOrder(first, source, now, begin);
    yield first;
    first = null;
  }
  if (first === null) return;
  assertInOrder(first, source, now, begin);
  yield first;
}

function assertInOrder(
  rows: readonly SourceRow[],
  { name, oldestFirst: remedy }: RowSource,
  now: number,
  begin: string | null,
): void {
  let latest: Pick<SourceRow, 'timestamp'> | null = begin === null ? null : { timestamp: begin };
  const late: SourceRow[] = [];
  for (const row of rows) {
    if (typeof row.event !== 'function') continue;
    const time = Date.parse(row.timestamp);
    // It is refused by itself, and no row is late because of it.
    if (time > now + MAX_AHEAD_MS) continue;
    const isLate = latest !== null && time < slotStart(latest.timestamp) - SEAL_DELAY_MS;
    if (isLate) late.push(row);
    else latest = row;
  }
  const [one] = late;
  if (!one || late.length * 10 <= rows.length) return;
  const isBefore = begin !== null && Date.parse(one.timestamp) < Date.parse(begin);
  const [expected, before] = isBefore
    ? [`rows after ${begin}, when the ledger begins: make it again with an earlier --from`, '']
    : [`rows whose times ascend, oldest first, in a first import: ${remedy}`, ` after ${latest!.timestamp}`];
  throw new CathedralError('import_failed', {
    place: rowPlace(name, one),
    expected,
    found: `${one.timestamp}${before}; so are ${late.length} of ${rows.length} rows, and the ledger would have them with a later time`,
  });
}
