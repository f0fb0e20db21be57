import { z } from 'zod';
import { BUCKET_SETTINGS } from '../../pipeline/config/settings.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { firstOf, lastOf, Moment } from '../api/query/period.ts';
import { defineCommand, json } from './command.ts';

const SETTINGS = ['store'] as const;

/** As in the audited export, where a date stands for its whole day; ms since 1970. */
const MOMENT = {
  unit: 'a UTC date or date-time: 2025-12-01 or 2025-12-01T06:00:00Z',
  schema: Moment.transform((given) => Date.parse(firstOf(given))),
} as const;

/** The first millisecond after it. */
const end = Moment.transform(
  (given) => Date.parse(lastOf(given)) + (lastOf(given).endsWith('T24:00:00Z') ? 0 : 1),
);

const exportLog = defineCommand({
  summary: 'Prints who read restricted files in a period, oldest first, each entry with its hash.',
  examples: [
    'cathedral access-log export --from 2025-12-01 --to 2025-12-31 > december.csv',
    'cathedral access-log export --format json',
  ],
  isReader: true,
  settings: SETTINGS,
  flags: {
    from: { description: 'The first moment to export. Without it, from the first entry on.', ...MOMENT },
    to: {
      description: 'The last moment to export; a date includes that day. Without it, until now.',
      ...MOMENT,
      schema: end,
    },
    format: {
      default: 'csv',
      unit: 'csv, json or ndjson',
      description: 'The format of the entries.',
      schema: z.enum(['csv', 'json', 'ndjson']),
    },
  },
  async run(config, context) {
    const { exportEntries } = await import('../sidecar/access-log/log-commands.ts');
    await exportEntries(config, config, context);
    return 0;
  },
});

const verify = defineCommand({
  summary: 'Verifies the whole access log: that no entry was edited, removed or moved.',
  details:
    'Keep the hash of the last entry that it prints. A later `access-log verify --head HASH` then also finds a log that was rewritten from its beginning. The log is also compared with every signed head: those that the server of one machine signed each hour, or, with CATHEDRAL_RELEASES, those that publishers signed.',
  examples: ['cathedral access-log verify', 'cathedral access-log verify --head 9f86d081… --json'],
  isReader: true,
  settings: [...SETTINGS, ...BUCKET_SETTINGS, 'publisherKey'],
  optional: {
    readerKeys:
      'Without it, the keys in access-log.vkey below the store, or those of the publisher where several machines share releases.',
  },
  flags: {
    head: {
      unit: '64 hex digits, as this command prints them',
      description: 'The hash of an entry that you kept earlier; the log must contain it.',
      schema: z.string().regex(/^[0-9a-f]{64}$/),
    },
    json,
  },
  async run(config, { progress }) {
    const { verifyEntries } = await import('../sidecar/access-log/log-commands.ts');
    const { valid, ...result } = await verifyEntries(config, progress.note);
    return { ...result, status: valid ? 0 : 1 };
  },
});

const expire = defineCommand({
  summary: 'Removes old entries of the access log. The rest still verifies.',
  examples: ['cathedral access-log expire --before 2025-01-01'],
  settings: SETTINGS,
  flags: {
    before: { description: 'Removes entries older than this.', ...MOMENT, required: true },
    json,
  },
  async run(config, { now }) {
    const { removeEntries } = await import('../sidecar/access-log/log-commands.ts');
    // A mistyped year would remove all entries for good.
    if (config.before > now())
      throw new CathedralError('config_invalid', {
        place: '--before',
        expected: `a time that has passed, at ${new Date(now()).toISOString()}`,
        found: new Date(config.before).toISOString(),
      });
    const { removed, left } = await removeEntries(config, config.before, now);
    const lines = [
      removed ? `Removed: entries ${removed.first} to ${removed.last}.` : 'No entry is that old.',
    ];
    if (left > 0)
      lines.push(`${left} older entries follow a newer one, and will be removed together with it.`);
    return { facts: { removed, kept_older: left }, lines };
  },
});

export const COMMANDS = {
  'access-log export': exportLog,
  'access-log verify': verify,
  'access-log expire': expire,
};
