import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useFolder } from '../setups/use-folder.ts';
import type { OpenServer } from './http/seam.ts';
import { serveHere } from './release/program.ts';
import { publish, type WrittenEvent, writeEvents } from './release/seam.ts';

const event = (timestamp: string, type: string, data: Record<string, unknown>): WrittenEvent => ({
  timestamp,
  cycle: `C-${Math.floor((Date.parse(timestamp) - Date.parse('2025-07-03')) / 86_400_000)}`,
  type,
  agent: 'ATLAS',
  data,
});
const mint = (timestamp: string, amount: string) =>
  event(timestamp, 'mic_mint', {
    ...{ sentinel: 'ATLAS', cathedral: 'FOR-GOVERNMENTS', coordination_score: 1, multiplier: 1, amount },
  });

/** A mint in most snapshots. Each is kept for a day, and of an earlier month the last one. */
const SLOTS: readonly (readonly [id: string, events: WrittenEvent[]])[] = [
  [
    '2025-09-03T06Z',
    [
      event('2025-09-03T00:00:00Z', 'genesis', { allocation: '10', multipliers: {} }),
      mint('2025-09-03T01:00:00Z', '1'),
    ],
  ],
  ['2025-09-03T12Z', [mint('2025-09-03T07:00:00Z', '2')]],
  ['2025-09-04T06Z', [event('2025-09-04T01:00:00Z', 'heartbeat', {})]],
  ['2025-10-01T06Z', [mint('2025-10-01T01:00:00Z', '5')]],
  ['2025-10-05T06Z', [mint('2025-10-05T01:00:00Z', '3')]],
  ['2025-10-05T18Z', [event('2025-10-05T13:00:00Z', 'heartbeat', {})]],
  ['2025-10-06T06Z', [mint('2025-10-06T01:00:00Z', '4')]],
];

const folder = useFolder();
let service: OpenServer;
beforeAll(async () => {
  const [ledger, out] = [join(folder, 'ledger'), join(folder, 'out')];
  const key = await writeEvents(ledger, SLOTS);
  const about = { ledger, key, documents: 'data/documents', out, now: '2025-10-06T07:00:00Z', days: 1 };
  for (const [until] of SLOTS) await publish({ ...about, until, contents: 'data' });
  service = await serveHere(out, join(folder, 'service'));
});
afterAll(() => service?.close());

const HISTORY = 'economy/mic-history.csv';
/**
 * Path, time, status, and the amounts in the answer or the code of the problem. `immutable` where the answer will always be this one.
 */
const CASES: readonly (readonly [
  path: string,
  query: string,
  status: number,
  answer: string,
  fresh?: string,
])[] = [
  // Exact: a snapshot that is kept, by its id, by a time after it, and by its day.
  [HISTORY, 'as_of=2025-10-05T18Z', 200, '3 5 2 1', 'immutable'],
  [HISTORY, 'as_of=2025-10-05T23:59:59Z', 200, '3 5 2 1', 'immutable'],
  [HISTORY, 'as_of=2025-10-05T18:00:00%2B02:00', 200, '3 5 2 1', 'immutable'],
  [HISTORY, 'as_of=2025-10-05', 200, '3 5 2 1', 'immutable'],
  [HISTORY, 'as_of=2025-10-06T06Z', 200, '4 3 5 2 1', 'immutable'],
  // Later than the newest: the newest, which a further snapshot may replace.
  [HISTORY, 'as_of=2025-10-06T12Z', 200, '4 3 5 2 1'],
  [HISTORY, 'as_of=2025-12-31', 200, '4 3 5 2 1'],
  // The last one of an earlier month is kept.
  [HISTORY, 'as_of=2025-09-04T06Z', 200, '2 1', 'immutable'],
  // Nothing was recorded in the weeks after it.
  [HISTORY, 'as_of=2025-09-20', 200, '2 1', 'immutable'],
  // Unchanged between: this snapshot is not kept, and the next one shows that its file was the same.
  [HISTORY, 'as_of=2025-09-03T12Z', 200, '2 1', 'immutable'],
  // Not kept, and the next one has another file.
  [HISTORY, 'as_of=2025-10-01T06Z', 404, 'version_not_kept'],
  ['economy/supply', 'as_of=2025-10-02', 404, 'version_not_kept'],
  // Before the first.
  [HISTORY, 'as_of=2025-09-03T06Z', 404, 'before_first_snapshot'],
  [HISTORY, 'as_of=2025-09-03T00Z', 404, 'before_first_snapshot'],
  [HISTORY, 'as_of=2025-07-03', 404, 'before_first_snapshot'],
  ['economy/supply', 'as_of=2025-10-05T18Z', 200, '21', 'immutable'],
  // No time; and a file that needs a key first.
  [HISTORY, 'as_of=2025-02-30', 400, 'invalid_parameter'],
  [HISTORY, 'as_of=', 400, 'invalid_parameter'],
  [HISTORY, 'as_off=2025-10-05', 400, 'unknown_parameter'],
  [HISTORY, 'as_of=2025-10-05&as_of=2025-10-05', 400, 'invalid_parameter'],
  ['government/compliance-report.json', 'as_of=2025-10-05', 401, 'key_required'],
  // By the file's own SHA-256.
  [HISTORY, `sha256=${'0'.repeat(64)}`, 404, 'version_not_kept'],
];

const amountsOf = (text: string) =>
  text.startsWith('{')
    ? `${(JSON.parse(text) as { total_supply: number }).total_supply}`
    : text
        .split('\n')
        .slice(1, -1)
        .map((row) => Number(row.split(',')[3]))
        .join(' ');

test.each(CASES)('%s?%s is %i %s', async (path, query, status, answer, fresh) => {
  const response = await fetch(`${service.url}/${path}?${query}`);
  const text = await response.text();
  const said = response.ok ? amountsOf(text) : (JSON.parse(text) as { code: string }).code;
  const isForEver = /immutable/.test(response.headers.get('cache-control') ?? '');
  expect([response.status, said, isForEver ? 'immutable' : undefined]).toEqual([status, answer, fresh]);
});

test('the same version is at the address of its snapshot, and by its hash', async () => {
  const asOf = await (await fetch(`${service.url}/${HISTORY}?as_of=2025-10-05T18Z`)).text();
  expect(await (await fetch(`${service.url}/snapshots/2025-10-05T18Z/${HISTORY}`)).text()).toBe(asOf);
  const index = await (await fetch(`${service.url}/snapshots/2025-10-05T18Z/index.json`)).json();
  const { sha256 } = (index as { files: { path: string; sha256: string }[] }).files.find(
    (one) => one.path === HISTORY,
  )!;
  expect(await (await fetch(`${service.url}/${HISTORY}?sha256=${sha256}`)).text()).toBe(asOf);
  const list = (await (await fetch(`${service.url}/snapshots/index.json`)).json()) as { id: string }[];
  expect(list.map(({ id }) => id)).toEqual([
    '2025-10-06T06Z',
    '2025-10-05T18Z',
    '2025-10-05T06Z',
    '2025-09-04T06Z',
  ]);
});

test('what a release calls permanent in its citations is there, byte for byte', async () => {
  const textAt = async (path: string) => (await fetch(`${service.url}${path}`)).text();
  const entries = (await textAt('/academics/citations.bib')).split('\n@software').slice(1);
  let found = 0;
  for (const entry of entries) {
    const [, path] = /url = \{https:\/\/data\.example\.org(\/.*)\}/.exec(entry)!;
    const [, permanent] = /Permanent address: \\url\{https:\/\/data\.example\.org([^}]*)\}/.exec(entry) ?? [];
    // The hash is in groups, so that a line can break between them.
    const [, hash = ''] = /SHA-256 ([0-9a-f ]+)\./.exec(entry) ?? [];
    const file = await fetch(`${service.url}${path}`);
    // This release has no pages.
    if (!permanent || !file.ok) continue;
    const whole = permanent.endsWith('sha256=') ? permanent + hash.replaceAll(' ', '') : permanent;
    expect([whole, await textAt(whole)]).toEqual([whole, await file.text()]);
    found += 1;
  }
  expect(found).toBeGreaterThan(25);
});
