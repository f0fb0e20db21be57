import { CathedralError } from '../../errors.ts';

const HOUR_MS = 3_600_000;
/** Snapshots are sealed and releases made at 00, 06, 12 and 18 h UTC. */
export const SLOT_MS = 6 * HOUR_MS;

/** Start of C-0, the first cycle. */
export const FIRST_CYCLE = '2025-07-03T00:00:00Z';

const SLOT_ID = /^\d{4}-\d{2}-\d{2}T(?:00|06|12|18)Z$/;

/** Unix ms → the id of the slot boundary at or before it, `2025-12-01T06Z`. Ids sort as text in order of time. */
export function slotId(ms: number): string {
  const boundary = Math.floor(ms / SLOT_MS) * SLOT_MS;
  return `${new Date(boundary).toISOString().slice(0, 13)}Z`;
}

/** 2025-02-30T06Z has the right form and is none: Date turns it into March. */
export function isSlotId(id: string): boolean {
  return SLOT_ID.test(id) && new Date(slotTimestamp(id)).getUTCDate() === Number(id.slice(8, 10));
}

/** Unix ms of the slot's boundary. Throws `ledger_order` for an id that names no slot. */
export function slotTime(id: string): number {
  if (!isSlotId(id)) {
    throw new CathedralError('ledger_order', {
      place: `snapshots/${id}`,
      expected: 'a slot like 2025-12-01T06Z (00, 06, 12 or 18 h UTC)',
      found: JSON.stringify(id),
    });
  }
  return Date.parse(slotTimestamp(id));
}

export function nextSlotId(id: string): string {
  return slotId(slotTime(id) + SLOT_MS);
}

/** The slot's boundary in the format of events, `2025-12-01T06:00:00Z`. */
export function slotTimestamp(id: string): string {
  return id.replace('Z', ':00:00Z');
}

/** Number of the cycle, a UTC day, that contains `ms` (Unix ms): 151 on 2025-12-01, negative before C-0. */
export function cycleNumber(ms: number): number {
  return Math.floor((ms - Date.parse(FIRST_CYCLE)) / (24 * HOUR_MS));
}

let lastDay = '';
let lastCycle = '';

/**
 * The cycle of a timestamp's UTC day: C-0 is 2025-07-03 and all that came before, C-151 is 2025-12-01. A batch has thousands of events
 * of one day, so the last one is kept.
 */
export function cycleOf(timestamp: string): string {
  const day = String(timestamp).slice(0, 10);
  // A text that is no day becomes C-NaN, which the check of the event refuses.
  if (day !== lastDay)
    [lastDay, lastCycle] = [day, `C-${Math.max(0, cycleNumber(Date.parse(`${day}T00:00:00Z`)))}`];
  return lastCycle;
}

/** `C-151` → `2025-12-01`; null for what is not a cycle label, and for a cycle after the year 9999. */
export function dayOfCycle(label: string): string | null {
  const [, number] = /^C-(0|[1-9]\d{0,6})$/.exec(label) ?? [];
  if (number === undefined) return null;
  const day = new Date(Date.parse(FIRST_CYCLE) + Number(number) * 24 * HOUR_MS).toISOString();
  return day.startsWith('+') ? null : day.slice(0, 10);
}
