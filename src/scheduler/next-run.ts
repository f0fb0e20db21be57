import { SLOT_MS, slotId, slotTime } from '../../pipeline/ledger/slot.ts';

const MINUTE_MS = 60_000;

/** Waits before another try, ms: soon, since most faults pass, and rarer then, since some need a person. */
export const RETRY_MS = [1, 2, 5, 10, 30, 60].map((minutes) => minutes * MINUTE_MS);

/**
 * Unix ms of the run after one from `startedAt` to `endedAt`: `delayMs` after the hour of the slot that follows its
 * start, which has passed already where the run took longer; or another try before it, where the last `tries` runs in
 * a row did not bring what they should.
 */
export function nextRun({ startedAt, endedAt, delayMs, tries }: LastRun): number {
  // Of a run during which the clock was set back, the start is a time of a clock that was wrong.
  const slot = slotTime(slotId(Math.min(startedAt, endedAt) - delayMs)) + SLOT_MS + delayMs;
  if (tries === 0) return slot;
  return Math.min(slot, endedAt + RETRY_MS[Math.min(tries, RETRY_MS.length) - 1]!);
}

export interface LastRun {
  startedAt: number;
  endedAt: number;
  delayMs: number;
  tries: number;
}

/** Whether a ledger read up to `snapshot` lacks the one of the slot that ended `delayMs` ago or more. */
export function isBehind(snapshot: string, now: number, delayMs: number): boolean {
  return snapshot < slotId(now - delayMs);
}
