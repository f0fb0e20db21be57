import { isSlotId, SLOT_MS, slotId, slotTime } from '../../ledger/slot.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2}T\d{2})(?::(\d{2})(?::(\d{2})(?:\.\d{1,3})?)?)?Z$/;

/** Later times have ids of another form. */
const LAST = Date.UTC(9999, 11, 31, 18);

/** How `as_of` is written, for messages. */
export const AS_OF_FORM =
  'a snapshot like 2026-06-10T06Z, a time like 2026-06-10T06:00:00Z or a day like 2026-06-10, in UTC';

/**
 * The moment that `as_of` names, in Unix ms; null for anything else. `2026-06-10T06Z` and `2026-06-10T06:00:00Z` are that moment,
 * `2026-06-10` is the end of that day.
 */
export function parseAsOf(text: string): number | null {
  if (DAY.test(text))
    return isSlotId(`${text}T00Z`) ? Math.min(slotTime(`${text}T00Z`) + 4 * SLOT_MS, LAST) : null;
  const [, hour, minute = '00', second = '00'] = MOMENT.exec(text) ?? [];
  if (hour === undefined || !isSlotId(`${hour.slice(0, 10)}T00Z`)) return null;
  const ms = Date.parse(`${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) || Number(hour.slice(11)) > 23 ? null : ms;
}

/** `2025-12-01T06Z` → `2025-12`. */
export function monthOf(id: string): string {
  return id.slice(0, 7);
}

/** An entry of the snapshot list; only the id counts. */
interface Named {
  id: string;
}

/**
 * Which snapshot has the data as they were at a moment.
 *
 * - `kept`: `entry` is the last one up to then
 * - `removed`: of the month in which the moment lies, only the last snapshot is kept, and the moment is before it
 * - `before_first`: there is none up to then; `after` is the first one, undefined for an empty list
 */
export type SnapshotAt<E extends Named> =
  | { kind: 'kept'; entry: E }
  | { kind: 'removed'; before: E; after: E }
  | { kind: 'before_first'; after: E | undefined };

/** Looks a moment up in the snapshot list, or in a part of it that has two entries after the moment. Newest first. */
export function snapshotAt<E extends Named>(list: readonly E[], ms: number): SnapshotAt<E> {
  const wanted = slotId(ms);
  const at = list.findIndex(({ id }) => id <= wanted);
  const after = list[at < 0 ? list.length - 1 : at - 1];
  const entry = list[at];
  if (!entry) return { kind: 'before_first', after };
  const isLast = at < 2;
  if (!after || isLast || entry.id === wanted) return { kind: 'kept', entry };
  const newer = list[at - 2]!;
  // The only one left of its month, which is over: retention keeps the last one, and whether there were others nobody can tell.
  const isAlone = monthOf(entry.id) !== monthOf(after.id) && monthOf(newer.id) !== monthOf(after.id);
  return isAlone && monthOf(wanted) === monthOf(after.id)
    ? { kind: 'removed', before: entry, after }
    : { kind: 'kept', entry };
}
