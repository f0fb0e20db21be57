import type { BUCKET_SETTINGS, Config } from '../../../pipeline/config/settings.ts';
import { databaseOf, storeFiles } from '../../../pipeline/config/store-place.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { parseVerifierKey, type Verifier } from '../../../pipeline/ledger/notes/note.ts';
import { readNoteVerifiers } from '../../../pipeline/ledger/notes/note-keys.ts';
import { readVerifierKeys } from '../../../pipeline/ledger/reading/ledger-verifiers.ts';
import { withBucket } from '../../../pipeline/objects/with-bucket.ts';
import { withDatabase } from '../../../pipeline/postgres/with-database.ts';
import { openSqlite } from '../../../pipeline/sql/sqlite.ts';
import type { SqlStore } from '../../../pipeline/sql/store.ts';
import { LOG_FILE } from '../../../pipeline/sql/tables.ts';
import { trustedKeys } from '../../../pipeline/verify/reader.ts';
import { formatCount } from '../../../pipeline/words/number.ts';
import { expireEntries } from './expire-entries.ts';
import { exportAccessLog } from './export-access-log.ts';
import { readLog } from './log-reader.ts';
import { headsIn } from './own-heads.ts';
import { readSignedHeads, type SignedHead } from './signed-heads.ts';
import { type LogVerdict, verifyAccessLog } from './verify-access-log.ts';

type LogConfig = Pick<Config, 'store'>;

/** Runs `work` with the log that the settings name; no file is made. */
async function withLog<T>(
  { store }: LogConfig,
  command: string,
  work: (log: SqlStore) => Promise<T>,
): Promise<T> {
  return withDatabase(store, command, async (database) => {
    if (database) return work(database);
    const log = await openSqlite(storeFiles(store).accessLog, LOG_FILE, { mustExist: true });
    return work(log).finally(() => log.close());
  });
}

/** Writes the entries from `from` to before `to`, both ms since 1970; null: all. Throws usage and store_failed. */
export async function exportEntries(
  config: LogConfig,
  { from, to, format }: { from: number | null; to: number | null; format: 'csv' | 'json' | 'ndjson' },
  { now, write }: { now: () => number; write: (text: string) => Promise<void> },
): Promise<void> {
  await withLog(config, 'access-log export', async (log) => {
    const period = { from: from ?? 0, to: to ?? now() + log.clock(), format };
    assertForward(period);
    for await (const text of exportAccessLog(readLog(log), period)) await write(text);
  });
}

/** An empty export would look as if nobody had read anything. */
function assertForward({ from, to }: { from: number; to: number }): void {
  if (from < to) return;
  const expected = `a time before the end, ${new Date(to).toISOString()}`;
  throw new CathedralError('usage', { place: '--from', expected, found: new Date(from).toISOString() });
}

type VerifyConfig = LogConfig &
  Pick<Config, (typeof BUCKET_SETTINGS)[number] | 'publisherKey' | 'readerKeys'> & {
    /** The hash of an entry that the log must have. */
    head: string | null;
  };

/** Verifies the whole log, and compares it with the heads that were signed: by the server of one machine, or by publishers that share a bucket. */
export async function verifyEntries(config: VerifyConfig, log: (line: string) => void) {
  const { head } = config;
  // Read before the log, so that they are not ahead of what is read of it.
  const signed = await readHeads(config, log);
  const options = { ...(head !== null && { head }), ...(signed && { signed }) };
  const verdict = await withLog(config, 'access-log verify', (log) => verifyAccessLog(readLog(log), options));
  return {
    facts: signed ? { ...verdict, signed_heads: signed.length } : verdict,
    lines: [...formatVerdict(verdict), ...(signed ? [formatSigned(signed, verdict.beginning)] : [])],
    valid: verdict.faults.length === 0,
  };
}

/** Null: this machine does not know where they are kept. */
async function readHeads(config: VerifyConfig, log: (line: string) => void): Promise<SignedHead[] | null> {
  if (databaseOf(config.store) === null) {
    return readSignedHeads(headsIn(config.store), await serverKeys(config));
  }
  return withBucket(
    config,
    { access: 'read', log },
    async (bucket) => bucket && readSignedHeads(bucket, await publisherKeys(config)),
  );
}

/** Whose signatures on heads count where one machine signs them. Throws config_invalid. */
async function serverKeys({
  store,
  readerKeys,
}: Pick<Config, 'store' | 'readerKeys'>): Promise<readonly Verifier[]> {
  if (readerKeys !== null) return trustedKeys(readerKeys);
  return (await readVerifierKeys(storeFiles(store).headVerifiers)).map(parseVerifierKey);
}

/** Whose signatures on heads count where publishers sign them. Throws config_invalid. */
async function publisherKeys({
  readerKeys,
  publisherKey,
}: Pick<Config, 'readerKeys' | 'publisherKey'>): Promise<Verifier[]> {
  if (readerKeys !== null) return trustedKeys(readerKeys);
  const keys = await readNoteVerifiers(publisherKey);
  if (keys) return keys;
  throw new CathedralError('config_invalid', {
    place: '--verifier-key',
    expected: "the publisher's verifier keys, with which signed heads of the log are verified",
    found: `none, and no file ${publisherKey}`,
  });
}

function formatVerdict({ faults, entries, beginning, last }: LogVerdict): string[] {
  const lines = faults.map(
    ({ kind, file, seq, expected, found }) =>
      `${file}${seq === null ? '' : `, entry ${seq}`}: ${kind}: expected ${expected}, found ${found}`,
  );
  if (beginning.seq >= 0) lines.push(`Entries up to ${beginning.seq} were removed because of their age.`);
  for (const { first, last: end, at, before } of beginning.removals)
    lines.push(`  ${first} to ${end}, at ${at}: entries from before ${before}`);
  const judgement = faults.length === 0 ? 'The log is complete' : formatCount(faults.length, 'finding');
  const end =
    last.seq < 0
      ? 'no entries yet'
      : `${formatCount(entries, 'entry', 'entries')}. The last one is ${last.seq}, ${last.hash}`;
  return [...lines, `${judgement}: ${end}`];
}

/** What was removed can no longer be compared. */
function formatSigned(signed: readonly SignedHead[], { seq: start }: LogVerdict['beginning']): string {
  if (signed.length === 0) return 'No signed head is there to compare it with.';
  const removed = signed.filter((one) => 'seq' in one && one.seq < start).length;
  const compared = `It was compared with ${formatCount(signed.length - removed, 'signed head')}.`;
  if (removed === 0) return compared;
  return `${compared} ${formatCount(removed, 'more is of a removed entry', 'more are of removed entries')}.`;
}

/** Removes entries older than `before`, ms since 1970. Throws locked and store_failed. */
export function removeEntries(config: LogConfig, before: number, now: () => number) {
  return withLog(config, 'access-log expire', (log) => expireEntries(log, before, now() + log.clock()));
}
