import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { LEDGERS } from './ledgers.ts';
import { type Listing, listPublic, listRestricted } from './listing.ts';
import { issueKey, serve } from './program.ts';
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

/** Publishes a ledger: here in several runs, and at the same time on another machine in one. */
export async function makeReleases(name: string, folder: string): Promise<Made> {
  const ledger = join(folder, 'ledger');
  const { key, documents, now, runs, contents } = await LEDGERS[name]!(ledger);
  const about = { ledger, key, documents, now, contents };
  const [out, other] = [join(folder, 'out'), join(folder, 'elsewhere/deeper/out')];
  const elsewhere = publishElsewhere({ ...about, out: other });
  for (const until of runs) await publish({ ...about, out, until, ...(until && { contents: 'data' }) });
  await elsewhere;
  return { ledger, out, other, listing: await listAll(out, join(folder, 'service')) };
}

async function publishElsewhere(options: PublishOptions): Promise<void> {
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
  const service = await serve(out, folder);
  try {
    const restricted = await listRestricted(
      service.address,
      await issueKey('government', folder),
      RESTRICTED,
    );
    return new Map([...(await listPublic(out)), ...restricted]);
  } finally {
    await service.stop();
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
  if (/^charts\/[^.]+\.svg$/.test(path)) return !path.endsWith('-dark.svg');
  return (
    /^(academics|diplomacy|economy|government|philosophy)\//.test(path) &&
    !/feed|\.(ndjson|xlsx|parquet)$/.test(path)
  );
}
