import type { Entry, Link } from './entry.ts';
import type { LogStart } from './records.ts';

export interface Period {
  /** ms since 1970, inclusive */
  from: number;
  /** ms since 1970, exclusive */
  to: number;
}

/** A file or a table of a log, open while it is read. */
export interface LogPart {
  name: string;
  /** The entries after `seq`, ordered by it, a few hundred at a time. Throws if the part is unreadable. */
  entriesAfter: (seq: number, period?: Period) => Iterable<Entry[]> | AsyncIterable<Entry[]>;
}

/**
 * A stored log, as an export, a verification and a copy read it. Reading changes nothing; servers may append to the log and an
 * operator may remove old entries meanwhile. Every member throws store_failed if the log cannot be read.
 */
export interface LogReader {
  /** The folder, or the address of the database without its password. */
  name: string;
  /** Throws store_failed if there is no log at all, so that a mistyped path does not pass as an empty log. */
  assertThere: () => Promise<void>;
  /** Throws access_log_broken for an invalid record. */
  readStart: () => Promise<LogStart>;
  /** The record of the last acknowledged entry; null if it is missing. Throws access_log_broken for an invalid record. */
  readHead: () => Promise<Link | null>;
  /** Oldest first. Yields the error of a part that cannot be opened. */
  parts: () => AsyncIterable<LogPart | { name: string; error: unknown }>;
}

/** Comparable as text with the column `time`. Times outside the column's range become its first or last value. */
export function formatLogTime(time: number): string {
  const [least, most] = [Date.UTC(0, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59, 999)];
  return new Date(Math.min(Math.max(time, least), most)).toISOString();
}
