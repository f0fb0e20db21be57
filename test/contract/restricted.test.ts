import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesBelow } from '../files-below.ts';
import { isSweep } from '../setups/sweep.ts';
import { useFolder } from '../setups/use-folder.ts';
import { issueKey, type Service, serve } from './release/program.ts';
import { RESTRICTED_EVENTS } from './release/restricted-events.ts';
import { bucketFiles, publish, textOfPdf, writeEvents } from './release/seam.ts';

const LEDGER = JSON.stringify(RESTRICTED_EVENTS);
const marked = (text: string, start: string) => [
  ...new Set(text.match(new RegExp(`${start}[a-z0-9_]+`, 'gi'))),
];
/** Pages and PDFs take a minute, and nothing but public files is in them: they are searched in `npm run test:all`. */
const WHOLE = isSweep ? 'pdfs' : 'charts';
const SECRETS = marked(LEDGER, 'zq');

const folder = useFolder();
const out = join(folder, 'out');
let service: Service;
let key: string;
/** Everything that anybody may read, decompressed, as text, by path. */
const files = new Map<string, string>();

beforeAll(async () => {
  const ledger = join(folder, 'ledger');
  const slots = [0, 1].map((half) => {
    const events = RESTRICTED_EVENTS.filter(({ timestamp }) => timestamp < '2026-02-05' === (half === 0));
    return [`2026-02-${half === 0 ? '05' : '13'}T00Z`, events] as const;
  });
  const about = {
    ledger,
    key: await writeEvents(ledger, slots),
    documents: 'data/documents',
    out,
    now: '2026-02-13T01:00:00Z',
  };
  for (const until of ['2026-02-05T00Z', undefined])
    await publish({ ...about, until, contents: until ? 'data' : WHOLE });
  for (const root of ['current/public', 'log', 'snapshots'])
    for (const [path, bytes] of filesBelow(join(out, root), `${root}/`))
      files.set(path, await contentOf(join(out, path), bytes));
  const stores = join(folder, 'service');
  service = await serve(out, stores);
  key = await issueKey('government', stores);
});
afterAll(() => service?.stop());

/** What a reader makes of a file: of a compressed one its text, of a table its rows. */
async function contentOf(file: string, bytes: Buffer): Promise<string> {
  if (file.endsWith('.br')) return `${brotliDecompressSync(bytes)}`;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return gunzipSync(bytes).toString('latin1');
  if (file.endsWith('.xlsx'))
    return Object.values(unzipSync(bytes))
      .map((part) => Buffer.from(part))
      .join('\n');
  if (file.endsWith('.parquet')) {
    const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
    return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}` : (value as unknown)));
  }
  if (file.endsWith('.pdf')) return textOfPdf(bytes);
  if (!file.endsWith('.sqlite')) return bytes.toString('latin1');
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
  const rows = tables.map(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all());
  return `${JSON.stringify(rows)}${bytes.toString('latin1')}`;
}

/** The words that begin so, and where each is, in whatever case: an index of words has its own. */
const placesOf = (start: string) => {
  const words = marked(LEDGER, start).map((word) => word.toLowerCase());
  return [...files].flatMap(([path, text]) => {
    const lower = text.toLowerCase();
    return words.filter((word) => lower.includes(word)).map((word) => `${word} in ${path}`);
  });
};

test('a restricted member is in no file that anybody may read, compressed ones, the search index and tables included', () => {
  expect(SECRETS.length).toBeGreaterThan(80);
  expect(placesOf('zq')).toEqual([]);
});

test('the search finds what is public, wherever a reader may look for it', () => {
  const found = new Set(placesOf('yq').map((place) => place.split(' ')[0]));
  expect(marked(LEDGER, 'yq').filter((word) => !found.has(word.toLowerCase()))).toEqual([]);
  const where = (ending: RegExp) =>
    [...files].filter(([path, text]) => ending.test(path) && /yq/i.test(text)).length;
  for (const kind of [
    /\.csv$/,
    /\.json$/,
    /\.gz$/,
    /\.br$/,
    /\.xlsx$/,
    /\.parquet$/,
    /\.sqlite$/,
    /\.atom$/,
    /\.svg$/,
    ...(isSweep ? [/\.html$/, /\/search\/index\/records-\d{4}\.json$/, /\/transparency\.pdf$/] : []),
  ])
    expect([kind, where(kind) > 0]).toEqual([kind, true]);
  for (const part of [/^log\/public\/v2\//, /^snapshots\//])
    expect([part, where(part) > 0]).toEqual([part, true]);
});

test('a bucket gets the same files, and neither a restricted one nor an entry of the log', async () => {
  const paths = await bucketFiles(out);
  expect(paths.length).toBeGreaterThan(300);
  const listed = new Set([...files.keys()].map((path) => path.replace('current/public/', '')));
  expect(paths.filter((path) => !listed.has(path) && path !== 'status.json')).toEqual([]);
  const restricted =
    /(^|Z\/)government\/(compliance-report\.json|policy-impact\.json|ledger\/export)$|\/entries\//;
  expect(paths.filter((path) => restricted.test(path))).toEqual([]);
});

/** What a key of a government reads, and which of the members are there. */
const OF_A_KEY: readonly (readonly [path: string, words: string])[] = [
  [
    'government/ledger/export',
    'zqopener zqrole zqdeep zqheartbeat zqburn zqbasis zqsensor zqrepository zqowner zqdraft zqminutes zqdissent zqfinding zqfirm zqpolicy zqmitigation zqtrace zqcleared zqvalue zqsample zqrevocation zqretired zqsomething zqlist',
  ],
  [
    'government/policy-impact.json',
    'zqpolicy zqdebt zqgdp zqjobs zqaccess zqequity zqtransparency zqrisk zqmitigation zqtimeline',
  ],
  ['government/compliance-report.json', 'GDPR'],
  ['log/tile/entries/000.p/27', 'zqstranger zqsomething'],
];

test.each(OF_A_KEY)(
  '%s is refused without a key, and says with one what is restricted',
  async (path, words) => {
    const without = await fetch(`${service.address}/${path}`);
    expect([without.status, marked(await without.text(), 'zq')]).toEqual([401, []]);
    const wrong = await fetch(`${service.address}/${path}`, {
      headers: { Authorization: `Bearer ${key.slice(0, -4)}AAAA` },
    });
    expect([wrong.status, marked(await wrong.text(), 'zq')]).toEqual([401, []]);
    const response = await fetch(`${service.address}/${path}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    expect(words.split(' ').filter((word) => !text.includes(word))).toEqual([]);
  },
);

test('nothing restricted is among the live answers, the status or the log of the server', async () => {
  const open = [
    ...'live status.json readyz metrics economy/supply government/sentinel-status.json'.split(' '),
    ...'openapi.json zq-no-such-path'.split(' '),
  ];
  for (const path of open) {
    const text = await (await fetch(`${service.address}/${path}`)).text();
    expect([path, marked(text, 'zq').filter((word) => SECRETS.includes(word))]).toEqual([path, []]);
  }
  const asked = await fetch(`${service.address}/government/ledger/export`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  await asked.arrayBuffer();
  await expect.poll(() => service.log()).toContain('ledger/export');
  const log = service.log();
  expect(marked(log, 'zq').filter((word) => SECRETS.includes(word))).toEqual([]);
  expect(log).not.toContain(key);
});
