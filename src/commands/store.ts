import { text } from '../../pipeline/config/setting.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { defineCommand, json } from './command.ts';

/** The stores of a single machine. */
const FILES = 'files';

const PLACE = {
  unit: `${FILES}, or postgres://user@host:port/database`,
  required: true,
  schema: text.regex(/^(files|postgres(?:ql)?:\/\/.+)$/),
} as const;

const copy = defineCommand({
  summary:
    'Copies API keys, the counts of today, the access log and the signing record from the files of one machine to a database, or back.',
  details: `Stop all servers and publishers first; it refuses to begin where it notices one. \`${FILES}\` are those of --keys, --limits, --access-log and --publisher-key. The user of the database must own the tables. Each part is copied completely or not at all, and then read again on both sides. A destination with other content is refused, and one that already has the same is left alone. So if it was interrupted, run it again; after a kill, half a minute later.`,
  examples: [
    `cathedral store copy --from ${FILES} --to postgres://owner@db.example.org/cathedral`,
    `cathedral store copy --from postgres://owner@db.example.org/cathedral --to ${FILES} --json`,
  ],
  settings: ['keys', 'limits', 'accessLog', 'publisherKey'],
  flags: {
    from: { description: 'Where to copy from.', ...PLACE },
    to: { description: 'Where to copy to.', ...PLACE },
    json,
  },
  check: ({ from, to }) => {
    if ((from === FILES) !== (to === FILES)) return [];
    const expected = `${FILES} in one of them, and the address of a database in the other`;
    const found = from === FILES ? `${FILES} in both` : 'a database in both';
    return [new CathedralError('config_invalid', { place: '--from and --to', expected, found })];
  },
  async run(config, { now, print, progress }) {
    const { copyStores, formatCopied } = await import('../sidecar/storage/copy-stores.ts');
    const isFromFiles = config.from === FILES;
    const address = isFromFiles ? config.to : config.from;
    const all = await copyStores(
      config,
      { address, isFromFiles, now },
      {
        note: (line) => progress.note(line),
        // Each part when it is done: the next one may take long.
        copied: (part) => config.json || print(formatCopied(part)),
      },
    );
    return { facts: all.map(({ isNew, ...part }) => ({ ...part, copied: isNew })), lines: [] };
  },
});

export const COMMANDS = { 'store copy': copy };
