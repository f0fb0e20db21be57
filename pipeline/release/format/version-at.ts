import { z } from 'zod';
import { firstSnapshotAfter, statedTime } from '../../artifacts/as-of.ts';
import { isSlotId, SLOT_MS, slotId, slotTime } from '../../ledger/slot.ts';
import type { SnapshotEntry, SnapshotIndex } from './snapshot-index.ts';

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

/** The listed snapshots around a slot. */
export interface Around {
  /** The last one at or before the slot; null if the slot is before the first one. */
  before: SnapshotEntry | null;
  /** The first one after the slot; null if the slot is not before the newest one. */
  after: SnapshotEntry | null;
  /** `before` has the files as they were at the slot: none between the two was removed. */
  isExact: boolean;
}

/** `index`: newest first. */
export function snapshotsAround(index: SnapshotIndex, slot: string): Around {
  const at = index.findIndex(({ id }) => id <= slot);
  const before = index[at] ?? null;
  const after = (at < 0 ? index.at(-1) : index[at - 1]) ?? null;
  const isExact = before !== null && (before.id === slot || after === null || before.id >= keptFrom(index));
  return { before, after, isExact };
}

/**
 * The snapshot from which on none was removed. Of an earlier month only the last one stays, so the older one of two in the same month
 * was not yet old enough. Without two in one month nothing is known: the result is after every id.
 */
function keptFrom(index: SnapshotIndex): string {
  const ids = index.map(({ id }) => id).reverse();
  return ids.find((id, at) => ids[at + 1]?.slice(0, 7) === id.slice(0, 7)) ?? '~';
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
