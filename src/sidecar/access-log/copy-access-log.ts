import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import type { Copied } from '../storage/copied.ts';
import { asStoreErrors } from '../storage/open-database.ts';
import { renameDurably } from './atomic-file.ts';
import { COLUMNS, type Entry, FIRST_LINK, type Link } from './entry.ts';
import { MAX_FILE_BYTES } from './folder-access-log.ts';
import { isWritten, readLogFolder } from './log-files.ts';
import type { LogReader } from './log-reader.ts';
import { LogWriter } from './log-writer.ts';
import { storeEntries } from './postgres-access-log.ts';
import { readLogTables } from './postgres-log-reader.ts';
import { type LogStart, writeBeginning, writeHead } from './records.ts';
import { type LogVerdict, verifyAccessLog } from './verify-access-log.ts';

/** One side of a copy. */
export interface CopiedLog {
  reader: LogReader;
  /** Whether there is no log yet, so that nothing can be read. */
  isMissing: () => boolean;
  /**
   * Makes this log the same as `from`, of which it has everything up to `has`, in one step: it is complete, or as before. `from`
   * verifies, and ends with `last`.
   */
  write: (from: LogReader, start: LogStart, range: { has: Link; last: Link }) => Promise<void>;
}

/** What verification finds in a log that is missing. */
const MISSING = { beginning: { ...FIRST_LINK, removals: [] }, last: FIRST_LINK, entries: 0 };

/**
 * Copies a whole access log, entries and hashes as they are. A destination that already has the beginning of it gets the rest.
 * Verifies both. Throws access_log_broken if one of them does not verify, and store_failed, with nothing changed, if the destination
 * has other entries.
 */
export async function copyAccessLog(from: CopiedLog, to: CopiedLog): Promise<Copied> {
  const [source, before] = [await verified(from), await verified(to)];
  await assertBeginningOf(from.reader, source, to.reader, before);
  const isNew = before.last.seq < source.last.seq;
  if (isNew) await to.write(from.reader, source.beginning, { has: before.last, last: source.last });
  const after = await verified(to);
  const [sent, kept] = [await digestOf(from, source.last), await digestOf(to, after.last)];
  if (sent !== kept) throw differs(to.reader.name, `entries with the digest ${sent}`, kept);
  const rows = { entries: after.entries, removals: after.beginning.removals.length };
  return { part: 'access log', rows, digest: kept, isNew };
}

type Verified = Pick<LogVerdict, 'beginning' | 'last' | 'entries'>;

async function verified({ reader: log, isMissing }: CopiedLog): Promise<Verified> {
  if (isMissing()) return MISSING;
  const verdict = await verifyAccessLog(log);
  const [fault] = verdict.faults;
  if (!fault) return verdict;
  const { kind, file, seq, expected, found } = fault;
  throw new CathedralError('access_log_broken', {
    place: `${log.name}: ${file}${seq === null ? '' : `, entry ${seq}`}`,
    expected: `a log that verifies (${kind}): ${expected}`,
    found,
  });
}

async function assertBeginningOf(from: LogReader, source: Verified, to: LogReader, found: Verified) {
  if (found.last.seq === FIRST_LINK.seq) return;
  const [start, own] = [source.beginning, found.beginning];
  if (own.seq !== start.seq || own.hash !== start.hash)
    throw differs(
      to.name,
      `a log without entries, or one that begins after entry ${start.seq}`,
      `one after ${own.seq}`,
    );
  const { seq, hash } = found.last;
  const same = seq === start.seq ? start : await entryAt(from, seq);
  if (same?.hash !== hash)
    throw differs(to.name, `a log without entries, or with those of ${from.name}`, `entry ${seq}, ${hash}`);
}

async function entryAt(log: LogReader, seq: number): Promise<Entry | undefined> {
  for await (const [entry] of entriesBetween(log, seq - 1, seq)) return entry;
  return undefined;
}

/** In batches, after `first` up to `last`. */
async function* entriesBetween(log: LogReader, first: number, last: number): AsyncGenerator<Entry[]> {
  for await (const part of log.parts()) {
    if ('error' in part) throw part.error;
    for await (const entries of part.entriesAfter(first)) {
      const wanted = entries.filter(({ seq }) => seq <= last);
      if (wanted.length > 0) yield wanted;
      if (wanted.length < entries.length) return;
    }
  }
}

/** SHA-256 over all columns of the start, the removals and every entry. */
async function digestOf({ reader: log, isMissing }: CopiedLog, last: Link): Promise<string> {
  const { seq, hash, removals } = isMissing() ? MISSING.beginning : await log.readStart();
  const digest = createHash('sha256');
  const add = (values: readonly unknown[]) => digest.update(`${JSON.stringify(values)}\n`);
  add([seq, hash]);
  for (const { first, last: end, at, before } of removals) add([first, end, at, before]);
  if (last.seq > seq)
    for await (const entries of entriesBetween(log, seq, last.seq))
      for (const entry of entries) add(COLUMNS.map((name) => entry[name]));
  return digest.digest('hex');
}

function differs(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('store_failed', { place, expected, found });
}

/** The log of a database. It is written in one transaction, as the owner of its tables. */
export function copiedTables(database: Database): CopiedLog {
  return {
    reader: readLogTables(database),
    isMissing: () => false,
    write: (from, start, { has, last }) =>
      database.transaction(async (query) => {
        const { rows } = await query<Link>('SELECT seq, hash FROM cathedral.access_log_head FOR UPDATE');
        if (rows[0]?.hash !== has.hash)
          throw differs(database.name, `${has.seq} as the last entry`, 'a server that writes to it');
        if (has.seq === FIRST_LINK.seq && start.seq !== FIRST_LINK.seq) {
          await query('UPDATE cathedral.access_log_start SET seq = $1, hash = $2', [start.seq, start.hash]);
          for (const { first, last, at, before } of start.removals)
            await query(
              'INSERT INTO cathedral.access_log_removals (first, last, at, before) VALUES ($1, $2, $3, $4)',
              [first, last, at, before],
            );
        }
        for await (const entries of entriesBetween(from, Math.max(has.seq, start.seq), last.seq))
          await storeEntries(query, entries);
        await query('UPDATE cathedral.access_log_head SET seq = $1, hash = $2', [last.seq, last.hash]);
      }),
  };
}

/**
 * The log of a folder. A copy is written beside it and takes its place when it is complete; what a killed copy left there is removed
 * by the next one.
 */
export function copiedFolder(dir: string): CopiedLog {
  const [copy, older] = [`${dir}.copy`, `${dir}.before-copy`];
  return {
    reader: readLogFolder(dir),
    isMissing: () => !existsSync(dir) || asStoreErrors(dir, () => readdirSync(dir)).length === 0,
    async write(from, start, { last }) {
      for (const folder of [copy, older]) rmSync(folder, { recursive: true, force: true });
      await asFolder(copy, from, start, last);
      asStoreErrors(dir, () => {
        if (existsSync(dir) && isWritten(dir))
          throw new CathedralError('locked', {
            place: dir,
            expected: 'no writer',
            found: 'a running server',
          });
        if (existsSync(dir)) renameSync(dir, older);
        renameDurably(copy, dir, true);
        rmSync(older, { recursive: true, force: true });
      });
    },
  };
}

async function asFolder(dir: string, from: LogReader, start: LogStart, last: Link): Promise<void> {
  asStoreErrors(dir, () => mkdirSync(dir, { recursive: true, mode: 0o700 }));
  if (start.seq !== FIRST_LINK.seq) writeBeginning(dir, start);
  writeHead(dir, { seq: start.seq, hash: start.hash });
  const options = { dir, maxFileBytes: MAX_FILE_BYTES, waitMs: 0, acknowledged: FIRST_LINK };
  const writer = new LogWriter(options);
  try {
    for await (const entries of entriesBetween(from, start.seq, last.seq))
      writer.appendAll(entries.map(({ seq, prev_hash, hash, ...record }) => record));
    // The writer computes the hashes again.
    if (writer.last.hash !== last.hash)
      throw differs(dir, `entry ${last.seq}, ${last.hash}`, writer.last.hash);
  } finally {
    writer.close();
  }
}
