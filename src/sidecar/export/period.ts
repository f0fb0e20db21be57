import { compareTimestamps } from '../../../pipeline/ledger/events/timestamp.ts';
import type { Segment } from '../../../pipeline/release/format/manifest.ts';
import { Row } from './row.ts';

/** The first and the last moment as timestamps, both inclusive; null: no bound. */
export interface Period {
  from: string | null;
  to: string | null;
}

/** Offsets of consecutive rows. */
export interface Span {
  begin: number;
  end: number;
}

type Times = Pick<Segment, 'from' | 'to'>;

/** Whether a segment may contain rows of the period. */
export function overlaps({ from, to }: Times, period: Period): boolean {
  return !isBefore(to, period.from) && !isAfter(from, period.to);
}

/** The rows of a segment within the period. Newest first, so they are consecutive. */
export function withinPeriod(bytes: Buffer, { from, to }: Times, period: Period): Span {
  if (!isAfter(to, period.to) && !isBefore(from, period.from)) return { begin: 0, end: bytes.length };
  const row = new Row();
  let begin = 0;
  for (let at = 0; at < bytes.length; at = row.end) {
    row.read(bytes, at);
    const timestamp = bytes.toString('latin1', row.start, row.type - 1);
    if (isAfter(timestamp, period.to)) begin = row.end;
    else if (isBefore(timestamp, period.from)) return { begin, end: at };
  }
  return { begin, end: bytes.length };
}

function isBefore(timestamp: string, bound: string | null): boolean {
  return bound !== null && compareTimestamps(timestamp, bound) < 0;
}

function isAfter(timestamp: string, bound: string | null): boolean {
  return bound !== null && compareTimestamps(timestamp, bound) > 0;
}
