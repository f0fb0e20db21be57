import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { LEDGERS, type Ledger } from './ledgers.ts';
import { type Listing, listPublic, listRestricted } from './listing.ts';
import { issueKey, serveHere } from './program.ts';
import { type PublishOptions, publish } from './seam.ts';

/** Every address that needs a key: the restricted files, and the ledger as the log's entries. */
const RESTRICTED = [
  'government/compliance-report.json',
  'government/ledger/export',
  'government/policy-impact.json',
] as const;

/** The golden lists: of files that are the same whatever the ledger, and one for each ledger, and files of one release as examples. */
export const LISTS = import.meta.dirname;
export const EXAMPLES = join(LISTS, 'examples');
/** The release that the examples are of: small, and made of the rows of own.csv. */
export const EXAMPLE_LEDGER = 'own';

export interface Made {
  ledger: string;
  out: string;
  listing: Listing;
  /** The release of another machine. */
  other: string;
}

/** Publishes each ledger: here in several runs, and at the same time on another machine in one. */
export async function makeReleases(folder: string): Promise<ReadonlyMap<string, Made>> {
  const ledgers: { name: string; place: string; written: Ledger }[] = [];
  for (const [name, write] of Object.entries(LEDGERS)) {
    const place = join(folder, name);
    ledgers.push({ name, place, written: await write(join(place, 'ledger')) });
  }
  const optionsOf = ({ place, written: { key, documents, now } }: (typeof ledgers)[number], out: string) => ({
    ...{ ledger: join(place, 'ledger'), key, documents, now, out: join(place, out) },
  });
  const elsewhere = publishElsewhere(
    ledgers.map((one) => {
      const { contents, elsewhere = contents } = one.written;
      return { ...optionsOf(one, 'elsewhere/deeper/out'), contents: elsewhere };
    }),
  );
  for (const one of ledgers)
    for (const until of one.written.runs)
      await publish({
        ...optionsOf(one, 'out'),
        until,
        contents: until ? 'data' : one.written.contents,
      });
  await elsewhere;
  const made = new Map<string, Made>();
  for (const one of ledgers) {
    const { ledger, out } = optionsOf(one, 'out');
    const listing = await listAll(out, join(one.place, 'service'));
    made.set(one.name, { ledger, out, listing, other: optionsOf(one, 'elsewhere/deeper/out').out });
  }
  return made;
}

async function publishElsewhere(options: readonly PublishOptions[]): Promise<void> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'publish-child.ts'), JSON.stringify(options)],
    {
      cwd: '/',
      env: { PATH, HOME, TZ: 'Asia/Kathmandu', LC_ALL: 'tr_TR.UTF-8', LANG: 'tr_TR.UTF-8' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`the other machine ended with ${status}`);
}

async function listAll(out: string, folder: string): Promise<Listing> {
  const service = await serveHere(out, folder);
  try {
    const restricted = await listRestricted(service.url, await issueKey('government', folder), RESTRICTED);
    return new Map([...(await listPublic(out)), ...restricted]);
  } finally {
    await service.close();
  }
}

const ONE_OF_A_KIND = [
  ...['.nojekyll', '_headers', 'robots.txt', 'llms.txt', 'CITATION.cff', 'latest.json'],
  ...['publisher.vkey', 'ledger.vkey', 'feed.atom', 'philosophy/feed.json'],
  ...['economy/mic-history.ndjson', 'philosophy/positions.ndjson', 'events/days/2026-01.json'],
  ...['schemas/economy/supply.schema.json', 'schemas/economy/mic-history.csv.table.json'],
  ...['charts/supply.json', 'charts/deliberations.csv', 'log/public/policy.json', 'log/checkpoint'],
];

/** Every data file, a picture of every kind of chart, and one of each other kind of text. */
export function isExample(path: string): boolean {
  if (ONE_OF_A_KIND.includes(path)) return true;
  if (/^charts\/[^.]+\.svg$/.test(path)) return true;
  return (
    /^(academics|diplomacy|economy|government|philosophy)\//.test(path) &&
    !/feed|\.(ndjson|xlsx|parquet)$/.test(path)
  );
}
