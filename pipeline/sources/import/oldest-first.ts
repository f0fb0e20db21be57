import { CathedralError } from '../../errors.ts';
import { MAX_AHEAD_MS } from '../../ledger/events/draft.ts';
import { SEAL_DELAY_MS, slotStart } from './imported-row.ts';
import { type RowSource, rowPlace, type SourceRow } from './source.ts';

/**
 * Looks at all rows of a first import before one is taken. A ledger cannot go back in time: where the newest row comes first, or a history
 * behind newer rows, all others would get its time, signed for good, and where a ledger of `ledger init` begins after the rows, they would
 * get that of its genesis. A few rows that come late are reported instead. `begin`: the time of the ledger's last event; null without one.
 * Throws `import_failed`, and what reading throws.
 */
export async function assertOldestFirst(
  batches: AsyncIterable<readonly SourceRow[]>,
  { name, oldestFirst: remedy }: RowSource,
  now: number,
  begin: string | null,
): Promise<void> {
  let latest = begin;
  let first: { row: SourceRow; after: string } | null = null;
  let [count, late] = [0, 0];
  for await (const batch of batches) {
    count += batch.length;
    for (const row of batch) {
      if (typeof row.event !== 'function') continue;
      const time = Date.parse(row.timestamp);
      // It is refused by itself, and no row is late because of it.
      if (time > now + MAX_AHEAD_MS) continue;
      if (latest === null || time >= slotStart(latest) - SEAL_DELAY_MS) {
        latest = row.timestamp;
        continue;
      }
      late += 1;
      first ??= { row, after: latest };
    }
  }
  if (first === null || late * 10 <= count) return;
  const { row, after } = first;
  const [expected, found] =
    after === begin
      ? [`rows after ${begin}, when the ledger begins: make it again with an earlier --from`, row.timestamp]
      : [
          `rows whose times ascend, oldest first, in a first import: ${remedy}`,
          `${row.timestamp} after ${after}`,
        ];
  throw new CathedralError('import_failed', {
    place: rowPlace(name, row),
    expected,
    found: `${found}; so are ${late} of ${count} rows, and the ledger would have them with a later time`,
  });
}
