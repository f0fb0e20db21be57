import { errorOf } from '../errors.ts';
import { CalendarDate, Timestamp } from '../ledger/events/event.ts';
import { cycleNumber, FIRST_CYCLE } from '../ledger/events/slot.ts';

const misuse = errorOf('usage');

export interface SampleOptions {
  /** Date of genesis. Default and minimum `2025-07-03`, where cycles start. */
  from?: string;
  /** Exclusive end: a date (00:00 UTC), a UTC date-time, or Unix ms. */
  to: string | number;
  /** A non-negative integer that selects the ledger. Default 1. */
  seed?: number;
  /** Exact number of events. Default: the natural volume, about 190 a day. */
  events?: number;
}

/** Times in Unix ms. */
export interface Span {
  from: number;
  to: number;
  seed: number;
  events: number | null;
}

/** The default date of genesis. */
export const GENESIS_DATE = FIRST_CYCLE.slice(0, 10);
export const DEFAULT_SEED = 1;

/** Throws `usage` for a time that is not one, or before the first. */
export function parseSpan({ from = GENESIS_DATE, to, seed = DEFAULT_SEED, events }: SampleOptions): Span {
  if (!CalendarDate.safeParse(from).success) throw misuse('--from', 'a date like 2025-07-03', from);
  const start = Date.parse(from);
  if (cycleNumber(start) < 0) throw misuse('--from', `${GENESIS_DATE} (C-0) or later`, from);
  const end = parseEnd(to);
  if (!(end > start)) throw misuse('--to', `a time after ${from}`, String(to));
  return { from: start, to: end, seed, events: events ?? null };
}

function parseEnd(to: string | number): number {
  if (typeof to === 'number') return Number.isFinite(to) ? to : Number.NaN;
  const known = CalendarDate.safeParse(to).success || Timestamp.safeParse(to).success;
  if (!known) throw misuse('--to', 'a date like 2025-12-01, or a time like 2025-12-01T06:30:00Z', to);
  return Date.parse(to);
}
