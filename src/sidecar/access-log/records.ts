import { chownSync, closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CathedralError } from '../../../pipeline/errors.ts';
import { asStoreErrors } from '../storage/open-database.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { FIRST_LINK, type Link } from './entry.ts';

export const HEAD = 'head';
const BEGINNING = 'beginning.json';
const HEAD_LINE = /^(-?\d{12,16}) ([0-9a-f]{64})\n$/;
/** Includes the minus sign of the record before the first entry. */
const SEQ_WIDTH = 15;

/**
 * The last acknowledged entry, in a file beside the log, so that a truncated log is detected. Never ahead of the log; after a
 * kill it may lag behind.
 */
export interface HeadRecord {
  write: (head: Link) => void;
  close: () => void;
}

/** Creates the record if it is missing and the log is new. */
export function openHeadRecord(dir: string): HeadRecord {
  const path = join(dir, HEAD);
  return asStoreErrors(path, () => {
    if (!existsSync(path)) writeHead(dir, FIRST_LINK);
    const file = openSync(path, 'r+', 0o600);
    return {
      // Overwritten in place: a line of fixed length within one sector. Not flushed, so it may lag behind after a power
      // failure.
      write: (head) => {
        asStoreErrors(path, () => writeSync(file, formatHead(head), 0));
      },
      close: () => closeSync(file),
    };
  });
}

/** Writes the record of a log that nobody has open. */
export function writeHead(dir: string, head: Link): void {
  const path = join(dir, HEAD);
  asStoreErrors(path, () => writeFileAtomically(path, formatHead(head), true));
}

/** Null if there is no record. Throws access_log_broken for an invalid one. */
export function readHead(dir: string): Link | null {
  const path = join(dir, HEAD);
  if (!existsSync(path)) return null;
  const text = asStoreErrors(path, () => readFileSync(path, 'utf8'));
  const [, seq, hash] = HEAD_LINE.exec(text) ?? [];
  if (seq && hash) return { seq: Number(seq), hash };
  const found = JSON.stringify(text.slice(0, 100));
  throw new CathedralError('access_log_broken', { place: path, expected: '<seq> <hash>', found });
}

function formatHead({ seq, hash }: Link): string {
  const digits = String(Math.abs(seq)).padStart(seq < 0 ? SEQ_WIDTH - 1 : SEQ_WIDTH, '0');
  return `${seq < 0 ? '-' : ''}${digits} ${hash}\n`;
}

/** One removal of old entries. */
const Removal = z.strictObject({
  /** When it happened, and the cutoff time: `2025-12-01T06:00:00.000Z`. */
  at: z.iso.datetime(),
  before: z.iso.datetime(),
  first: z.int().min(0),
  last: z.int().min(0),
});

/** The link before the first kept entry, and the removals that led to it. */
export const LogStart = z.strictObject({
  /** The last removed entry; −1 if there is none. */
  seq: z.int().min(-1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Oldest first. */
  removals: z.array(Removal),
});

export type LogStart = z.infer<typeof LogStart>;

/** FIRST_LINK if no entries were removed by age. */
export function readLogStart(dir: string): LogStart {
  const path = join(dir, BEGINNING);
  const text = asStoreErrors(path, () => (existsSync(path) ? readFileSync(path, 'utf8') : null));
  if (text === null) return { ...FIRST_LINK, removals: [] };
  try {
    return LogStart.parse(JSON.parse(text));
  } catch (cause) {
    const expected = '{"seq":…,"hash":…,"removals":…}';
    const found = text.slice(0, 100);
    throw new CathedralError('access_log_broken', { place: path, expected, found, cause });
  }
}

export function writeBeginning(dir: string, beginning: LogStart): void {
  const path = join(dir, BEGINNING);
  asStoreErrors(path, () => {
    writeFileAtomically(path, `${JSON.stringify(beginning)}\n`, true);
    // The file of an administrator's command must stay readable for the server; SQLite does the same with its files.
    const { uid, gid } = statSync(dir);
    if (process.getuid?.() === 0) chownSync(path, uid, gid);
  });
}
