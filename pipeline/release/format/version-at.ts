import * as z from 'zod/mini';
import { firstSnapshotAfter, statedTime } from '../../artifacts/as-of.ts';
import { isSlotId, SLOT_MS, slotId, slotTime } from '../../ledger/events/slot.ts';

/** What `as_of` takes. */
export const AS_OF_FORMS =
  'a snapshot like 2026-06-10T06Z, a date like 2026-06-10 (the end of that day in UTC) or a time like 2026-06-10T08:13:00Z';

const DateTime = z.iso.datetime({ offset: true, local: false });
const DAY_MS = 4 * SLOT_MS;

/** The id of the last slot at or before what a text says, `2026-06-10T08:13:00Z` → `2026-06-10T06Z`; null for another text. */
export function slotAsOf(text: string): string | null {
  if (isSlotId(text)) return text;
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && isSlotId(`${text}T00Z`))
    return valid(slotId(slotTime(`${text}T00Z`) + DAY_MS));
  return DateTime.safeParse(text).success ? valid(slotId(Date.parse(text))) : null;
}

/** A year before 0 or after 9999 has a sign. */
function valid(id: string): string | null {
  return isSlotId(id) ? id : null;
}

/** `2025-12-01T06Z` → `2025-12`. */
export function monthOf(id: string): string {
  return id.slice(0, 7);
}

/** The listed snapshots around a slot. */
export interface Around<Entry> {
  /** The last one at or before the slot; null if the slot is before the first one. */
  before: Entry | null;
  /** The first one after the slot; null if the slot is not before the newest one. */
  after: Entry | null;
  /** `before` has the files as they were at the slot: none between the two was removed. */
  isExact: boolean;
}

/**
 * `list`: newest first, all of it or a part around the slot with an entry more on either side.
 *
 * Of an earlier month only the last snapshot stays. So the older one of two in the same month was not yet old enough, and after it none was
 * removed; and none was ever made between the last one of a month and the end of that month.
 */
export function snapshotsAround<Entry extends { id: string }>(
  list: readonly Entry[],
  slot: string,
): Around<Entry> {
  const at = list.findIndex(({ id }) => id <= slot);
  const before = list[at] ?? null;
  const after = (at < 0 ? list.at(-1) : list[at - 1]) ?? null;
  if (before === null) return { before, after, isExact: false };
  const isLast = after === null || monthOf(slot) !== monthOf(after.id);
  const newerOfTwo = [after, list[at + 1]].some((one) => one && monthOf(one.id) === monthOf(before.id));
  return { before, after, isExact: before.id === slot || isLast || newerOfTwo };
}

/** A table by day, newest day first. */
const NEWEST_DAY = /^date,[^\n]*\n(\d{4}-\d{2}-\d{2}),/;

/**
 * The first snapshot that a version of a file can be in, told from the beginning of its text; null if it does not state a time. The
 * row of a day is added with the first event of a later one.
 */
export function firstSnapshotOf(path: string, text: string): string | null {
  const [, year] = /-(\d{4})\.json$/.exec(path) ?? [];
  if (year !== undefined) return `${Number(year) + 1}-01-01T06Z`;
  const [, day] = NEWEST_DAY.exec(text) ?? [];
  if (day !== undefined) return firstSnapshotAfter(`${day}T00:00:00Z`, true);
  const time = statedTime(text);
  return time === undefined ? null : firstSnapshotAfter(time, false);
}
