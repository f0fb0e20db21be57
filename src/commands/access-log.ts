import { z } from 'zod';
import type { Flag } from '../../pipeline/config/setting.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { expireEntries } from '../sidecar/access-log/expire-entries.ts';
import { exportAccessLog } from '../sidecar/access-log/export-access-log.ts';
import { readLogFolder } from '../sidecar/access-log/log-files.ts';
import { type LogVerdict, verifyAccessLog } from '../sidecar/access-log/verify-access-log.ts';
import { defineCommand, formatJson, json } from './command.ts';

const DAY_MS = 86_400_000;

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
  settings: ['accessLog'],
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
  async run({ accessLog, from, to, format }, { now, write }) {
    const period = { from: from ?? 0, to: to ?? now(), format };
    assertForward(period);
    for await (const text of exportAccessLog(readLogFolder(accessLog), period)) await write(text);
    return 0;
  },
});

export const accessLogVerify = defineCommand({
  summary: 'Verifies the whole access log: that no entry was edited, removed or moved.',
  details:
    'Keep the hash of the last entry that it prints. A later `access-log verify --head HASH` then also finds entries that were cut off at the end.',
  examples: ['cathedral access-log verify', 'cathedral access-log verify --head 9f86d081… --json'],
  isReader: true,
  settings: ['accessLog'],
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
  async run({ accessLog, head, json }, { print }) {
    const verdict = await verifyAccessLog(readLogFolder(accessLog), head === null ? {} : { head });
    if (json) print(formatJson(verdict));
    else for (const line of formatVerdict(verdict)) print(line);
    return verdict.faults.length === 0 ? 0 : 1;
  },
});

export const accessLogExpire = defineCommand({
  summary: 'Removes old entries of the access log. The rest still verifies.',
  examples: ['cathedral access-log expire --before 2025-01-01'],
  settings: ['accessLog'],
  flags: {
    before: { flag: 'before', description: 'Removes entries older than this.', ...MOMENT, required: true },
    json,
  },
  async run({ accessLog, before, json }, { now, print }) {
    const { removed, left } = await expireEntries(accessLog, before, now());
    if (json) {
      print(formatJson({ removed, kept_older: left }));
      return 0;
    }
    print(removed ? `Removed: entries ${removed.first} to ${removed.last}.` : 'No entry is that old.');
    if (left > 0) print(`${left} older entries follow a newer one, and will be removed together with it.`);
    return 0;
  },
});

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

/** An empty export would look as if nobody had read anything. */
function assertForward({ from, to }: { from: number; to: number }): void {
  if (from < to) return;
  const expected = `a time before the end, ${new Date(to).toISOString()}`;
  throw new CathedralError('usage', { place: '--from', expected, found: new Date(from).toISOString() });
}
