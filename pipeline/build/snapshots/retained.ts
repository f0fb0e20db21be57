import { slotTime } from '../../ledger/events/slot.ts';
import { monthOf } from '../../release/format/version-at.ts';
import { DAY_MS } from '../../words/day.ts';

/**
 * The snapshots to keep, newest first: all of the last `days` before the newest one, and the last one of each earlier month. Uses the
 * ledger's time, so the result is the same everywhere. `ids` may be in any order.
 */
export function retained(ids: readonly string[], days: number): string[] {
  const sorted = ids.toSorted().reverse();
  const [newest] = sorted;
  if (newest === undefined) return [];
  const since = slotTime(newest) - days * DAY_MS;
  const lastOfMonth = new Set<string>();
  const months = new Set<string>();
  for (const id of sorted) {
    if (!months.has(monthOf(id))) lastOfMonth.add(id);
    months.add(monthOf(id));
  }
  return sorted.filter((id) => slotTime(id) >= since || lastOfMonth.has(id));
}
