import { z } from 'zod';
import type { Flag } from '../../pipeline/config/setting.ts';
import { BUCKET_SETTINGS } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { Verifier } from '../../pipeline/ledger/notes/note.ts';
import { readNoteKeys, signerOf } from '../../pipeline/ledger/notes/note-keys.ts';
import type { Database } from '../../pipeline/postgres/database.ts';
import { DAY_MS } from '../../pipeline/words/day.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { expireEntries } from '../sidecar/access-log/expire-entries.ts';
import { exportAccessLog } from '../sidecar/access-log/export-access-log.ts';
import { readLogFolder } from '../sidecar/access-log/log-files.ts';
import type { LogReader } from '../sidecar/access-log/log-reader.ts';
import { expireTableEntries } from '../sidecar/access-log/postgres-expiry.ts';
import { readLogTables } from '../sidecar/access-log/postgres-log-reader.ts';
import { readSignedHeads, type SignedHead } from '../sidecar/access-log/signed-heads.ts';
import { type LogVerdict, verifyAccessLog } from '../sidecar/access-log/verify-access-log.ts';
import { defineCommand, formatJson, json } from './command.ts';
import { trustedKeys } from './reader.ts';
import { withBucket, withDatabase } from './shared-stores.ts';

const LOG_SETTINGS = ['accessLog', 'store'] as const;

/** A UTC date or date-time, ms since 1970. */
const moment = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}Z)?$/)
  .transform((given) => [given, Date.parse(given)] as const)
  // Date.parse takes 2025-02-30 for the 2nd of March.
  .refine(([given, ms]) => !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(given.slice(0, 10)))
  .transform(([, ms]) => ms);

/** The first millisecond after it. A date stands for its whole day, as in the audited export. */
const end = z
  .string()
  .refine((given) => moment.safeParse(given).success)
  .transform((given) => moment.parse(given) + (given.length === '2025-12-01'.length ? DAY_MS : 1));

const MOMENT = {
  default: null,
  unit: 'a UTC date or date-time: 2025-12-01 or 2025-12-01T06:00:00Z',
  schema: moment,
} as const;

const format = {
  flag: 'format',
  default: 'csv',
  unit: 'csv, json or ndjson',
  description: 'The format of the entries.',
  schema: z.enum(['csv', 'json', 'ndjson']),
} as const satisfies Flag;

export const accessLogExport = defineCommand({
  summary: 'Prints who read restricted files in a period, oldest first, each entry with its hash.',
  examples: [
    'cathedral access-log export --from 2025-12-01 --to 2025-12-31 > december.csv',
    'cathedral access-log export --format json',
  ],
  isReader: true,
  settings: LOG_SETTINGS,
  flags: {
    from: {
      flag: 'from',
      description: 'The first moment to export. Without it, from the first entry on.',
      ...MOMENT,
    },
    to: {
      flag: 'to',
      description: 'The last moment to export; a date includes that day. Without it, until now.',
      ...MOMENT,
      schema: end,
    },
    format,
  },
  async run({ accessLog, store, from, to, format }, { now, write }) {
    await withDatabase(store, 'access-log export', async (database) => {
      const period = { from: from ?? 0, to: to ?? now() + (database?.clock() ?? 0), format };
      assertForward(period);
      for await (const text of exportAccessLog(logOf(accessLog, database), period)) await write(text);
    });
    return 0;
  },
});

export const accessLogVerify = defineCommand({
  summary: 'Verifies the whole access log: that no entry was edited, removed or moved.',
  details:
    'Keep the hash of the last entry that it prints. A later `access-log verify --head HASH` then also finds entries that were cut off at the end. Where several machines share releases, publishers do that by themselves: with CATHEDRAL_RELEASES, the log is compared with every head that they signed.',
  examples: ['cathedral access-log verify', 'cathedral access-log verify --head 9f86d081… --json'],
  isReader: true,
  settings: [...LOG_SETTINGS, ...BUCKET_SETTINGS, 'publisherKey'],
  optional: {
    readerKeys: 'Without it, the keys of the publisher, where they are on this machine.',
  },
  flags: {
    head: {
      flag: 'head',
      default: null,
      unit: '64 hex digits, as this command prints them',
      description: 'The hash of an entry that you kept earlier; the log must contain it.',
      schema: z.string().regex(/^[0-9a-f]{64}$/),
    },
    json,
  },
  async run(config, { print, progress }) {
    const { accessLog, store, head, json } = config;
    const opened = { access: 'read', log: (line: string) => progress.note(line) } as const;
    // Read before the log, so that they are not ahead of what is read of it.
    const signed = await withBucket(
      config,
      opened,
      async (bucket) => bucket && readSignedHeads(bucket, await publisherKeys(config)),
    );
    const options = { ...(head !== null && { head }), ...(signed && { signed }) };
    const verdict = await withDatabase(store, 'access-log verify', (database) =>
      verifyAccessLog(logOf(accessLog, database), options),
    );
    if (json) print(formatJson(signed ? { ...verdict, signed_heads: signed.length } : verdict));
    else {
      for (const line of formatVerdict(verdict)) print(line);
      if (signed) print(formatSigned(signed, verdict.beginning));
    }
    return verdict.faults.length === 0 ? 0 : 1;
  },
});

export const accessLogExpire = defineCommand({
  summary: 'Removes old entries of the access log. The rest still verifies.',
  examples: ['cathedral access-log expire --before 2025-01-01'],
  settings: LOG_SETTINGS,
  flags: {
    before: { flag: 'before', description: 'Removes entries older than this.', ...MOMENT, required: true },
    json,
  },
  async run({ accessLog, store, before, json }, { now, print }) {
    const { removed, left } = await withDatabase(store, 'access-log expire', (database) =>
      database
        ? expireTableEntries(database, before, now() + database.clock())
        : expireEntries(accessLog, before, now()),
    );
    if (json) {
      print(formatJson({ removed, kept_older: left }));
      return 0;
    }
    print(removed ? `Removed: entries ${removed.first} to ${removed.last}.` : 'No entry is that old.');
    if (left > 0) print(`${left} older entries follow a newer one, and will be removed together with it.`);
    return 0;
  },
});

function logOf(folder: string, database: Database | null): LogReader {
  return database ? readLogTables(database) : readLogFolder(folder);
}

/** Whose signatures on heads count. Throws config_invalid. */
async function publisherKeys({
  readerKeys,
  publisherKey,
}: {
  readerKeys: string | null;
  publisherKey: string;
}): Promise<Verifier[]> {
  if (readerKeys !== null) return trustedKeys(readerKeys);
  const keys = await readNoteKeys(publisherKey);
  if (keys) return keys.map((key) => signerOf(key).verifier);
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
  return [...lines, `${judgement}: ${entries} entries. The last one is ${last.seq}, ${last.hash}`];
}

/** What was removed can no longer be compared. */
function formatSigned(signed: readonly SignedHead[], { seq: start }: LogVerdict['beginning']): string {
  const removed = signed.filter((one) => 'seq' in one && one.seq < start).length;
  const compared = `It was compared with ${formatCount(signed.length - removed, 'signed head')}.`;
  return removed === 0 ? compared : `${compared} ${formatCount(removed, 'more')} of removed entries.`;
}

/** An empty export would look as if nobody had read anything. */
function assertForward({ from, to }: { from: number; to: number }): void {
  if (from < to) return;
  const expected = `a time before the end, ${new Date(to).toISOString()}`;
  throw new CathedralError('usage', { place: '--from', expected, found: new Date(from).toISOString() });
}
