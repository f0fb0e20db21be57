import { storePlace } from '../../pipeline/config/setting.ts';
import { databaseOf, storeFiles } from '../../pipeline/config/store-place.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { defineCommand, json } from './command.ts';

/** As the setting `store`. */
const PLACE = {
  unit: 'a folder, or postgres://user@host:port/database',
  required: true,
  path: true,
  schema: storePlace,
} as const;

const copy = defineCommand({
  summary:
    'Copies API keys, the counts of today, the access log and the signing record from the folder of one machine to a database, or back.',
  details: `Stop all servers and publishers first: it refuses to begin while it notices one. A folder is a store as in --store; its signing record is beside --publisher-key. The user of the database must own the tables. Each part is copied completely or not at all, and then read again on both sides. A destination with other content is refused, and one that already has the same is left alone. If it was interrupted, run it again; after a kill, wait half a minute first.`,
  examples: [
    'cathedral store copy --from /var/lib/cathedral --to postgres://owner@db.example.org/cathedral',
    'cathedral store copy --from postgres://owner@db.example.org/cathedral --to /var/lib/cathedral --json',
  ],
  settings: ['publisherKey'],
  flags: {
    from: { description: 'Where to copy from.', ...PLACE },
    to: { description: 'Where to copy to.', ...PLACE },
    json,
  },
  check: ({ from, to }) => {
    const isFrom = databaseOf(from) !== null;
    if (isFrom !== (databaseOf(to) !== null)) return [];
    const expected = 'a folder in one of them, and the address of a database in the other';
    const found = isFrom ? 'a database in both' : 'a folder in both';
    return [new CathedralError('config_invalid', { place: '--from and --to', expected, found })];
  },
  async run(config, { now, print, progress }) {
    const { copyStores, formatCopied } = await import('../sidecar/storage/copy-stores.ts');
    const isFromFiles = databaseOf(config.from) === null;
    const [address, folder] = isFromFiles ? [config.to, config.from] : [config.from, config.to];
    const all = await copyStores(
      { ...storeFiles(folder), publisherKey: config.publisherKey },
      { address, isFromFiles, now },
      {
        note: progress.note,
        // Each part when it is done: the next one may take long.
        copied: (part) => config.json || print(formatCopied(part)),
      },
    );
    return { facts: all.map(({ isNew, ...part }) => ({ ...part, copied: isNew })), lines: [] };
  },
});

export const COMMANDS = { 'store copy': copy };
