import { createHash } from 'node:crypto';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { SqlStore } from '../../../pipeline/sql/store.ts';
import { insertion } from '../../../pipeline/sql/table.ts';
import { ENTRIES, REMOVALS } from '../../../pipeline/sql/tables.ts';
import type { Copied, TablePlace } from '../storage/copy-tables.ts';
import { COLUMNS, type Entry, FIRST_LINK, type Link } from './entry.ts';
import { entryAt, type LogReader, readLog } from './log-reader.ts';
import { LOG_LOCK } from './log-table.ts';
import { type LogVerdict, verifyAccessLog } from './verify-access-log.ts';

type Verified = Pick<LogVerdict, 'beginning' | 'last' | 'entries'>;

/** What verification finds in a log that is missing. */
const MISSING: Verified = { beginning: { ...FIRST_LINK, removals: [] }, last: FIRST_LINK, entries: 0 };

/**
 * Copies a whole access log, entries and hashes as they are. A destination that already has the beginning of it gets the rest.
 * Verifies both. Throws access_log_broken if one of them does not verify, and store_failed, with nothing changed, if the destination
 * has other entries.
 */
export async function copyAccessLog(from: TablePlace, to: TablePlace): Promise<Copied> {
  const [source, before] = [await verified(from), await verified(to)];
  await assertBeginningOf(from, source, to, before);
  const isNew = before.last.seq < source.last.seq;
  if (isNew) await from.use((own) => to.use((store) => addTo(store, readLog(own), source, before.last)));
  const after = await verified(to);
  const [sent, kept] = [await digestOf(from, source), await digestOf(to, after)];
  if (sent !== kept) throw differs(to.name, `entries with the digest ${sent}`, kept);
  const rows = { entries: after.entries, removals: after.beginning.removals.length };
  return { part: 'access log', rows, digest: kept, isNew };
}

async function verified(place: TablePlace): Promise<Verified> {
  if (place.isMissing()) return MISSING;
  const verdict = await place.use((store) => verifyAccessLog(readLog(store)));
  const [fault] = verdict.faults;
  if (!fault) return verdict;
  const { kind, file, seq, expected, found } = fault;
  throw new CathedralError('access_log_broken', {
    place: `${place.name}: ${file}${seq === null ? '' : `, entry ${seq}`}`,
    expected: `a log that verifies (${kind}): ${expected}`,
    found,
  });
}

async function assertBeginningOf(from: TablePlace, source: Verified, to: TablePlace, found: Verified) {
  if (found.last.seq === FIRST_LINK.seq) return;
  const [start, own] = [source.beginning, found.beginning];
  if (own.seq !== start.seq || own.hash !== start.hash)
    throw differs(
      to.name,
      `a log without entries, or one that begins after entry ${start.seq}`,
      `one after ${own.seq}`,
    );
  const { seq, hash } = found.last;
  const isThere = !from.isMissing() && seq !== start.seq;
  const same = isThere ? await from.use((store) => entryAt(readLog(store), seq)) : start;
  if (same?.hash !== hash)
    throw differs(to.name, `a log without entries, or with those of ${from.name}`, `entry ${seq}, ${hash}`);
}

/** Makes a log the same as `from`, of which it has everything up to `has`, in one step: it is complete, or as before. */
async function addTo(
  store: SqlStore,
  from: LogReader,
  { beginning, last }: Verified,
  has: Link,
): Promise<void> {
  await store.transaction(async (query) => {
    const head = await readLog({ name: store.name, query }).readHead();
    if (head?.hash !== has.hash)
      throw differs(store.name, `${has.seq} as the last entry`, 'a server that writes to it');
    if (has.seq === FIRST_LINK.seq && beginning.removals.length > 0) {
      await query(...insertion(REMOVALS, beginning.removals));
      await query('UPDATE access_log_head SET seq = $1, hash = $2', [beginning.seq, beginning.hash]);
    }
    for await (const entries of entriesBetween(from, Math.max(has.seq, beginning.seq), last.seq))
      await query(...insertion(ENTRIES, entries));
  }, LOG_LOCK);
  await store.scrub();
}

/** In batches, after `first` up to `last`. */
async function* entriesBetween(log: LogReader, first: number, last: number): AsyncGenerator<Entry[]> {
  for await (const entries of log.entriesAfter(first)) {
    const wanted = entries.filter(({ seq }) => seq <= last);
    if (wanted.length > 0) yield wanted;
    if (wanted.length < entries.length) return;
  }
}

/** SHA-256 over all columns of the removals and every entry. */
async function digestOf(place: TablePlace, { beginning, last }: Verified): Promise<string> {
  const digest = createHash('sha256');
  const add = (values: readonly unknown[]) => digest.update(`${JSON.stringify(values)}\n`);
  for (const { first, last: end, hash, at, before } of beginning.removals)
    add([first, end, hash, at, before]);
  if (!place.isMissing())
    await place.use(async (store) => {
      for await (const entries of entriesBetween(readLog(store), beginning.seq, last.seq))
        for (const entry of entries) add(COLUMNS.map((name) => entry[name]));
    });
  return digest.digest('hex');
}

function differs(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('store_failed', { place, expected, found });
}
