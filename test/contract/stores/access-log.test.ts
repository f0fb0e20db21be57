import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { failureOf } from '../../release/temporary-folder.ts';
import { eachEngine, opened, openThree } from './engines.ts';
import { type Access, change, type Stores, tamper } from './seam.ts';

const START = Date.parse('2025-12-01T06:00:00.000Z');
const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const NO_HASH = '0'.repeat(64);

/** One a second. */
function access(index: number, changes: Partial<Access> = {}): Access {
  return {
    time: START + index * 1000,
    requestId: `request-${index}`,
    keyId: 'k_7',
    holder: 'h_7',
    area: 'government',
    method: 'GET',
    path: '/government/ledger/export',
    query: '',
    status: 200,
    client: '203.0.113.7',
    ...changes,
  };
}

interface Entry {
  seq: number;
  request_id: string;
  prev_hash: string;
  hash: string;
}

async function entriesOf({ log }: Stores): Promise<Entry[]> {
  const text = await log.export('ndjson');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function written(place: string, entries: number): Promise<Stores> {
  const stores = await opened(place, { now: () => NOW });
  await Promise.all(Array.from({ length: entries }, (_, at) => stores.log.append(access(at))));
  return stores;
}

const faultsOf = async ({ log }: Stores, head?: string) =>
  (await log.verify(head)).faults.map(({ kind, seq }) => `${kind} ${seq}`);

/** What somebody does to the stored entries, and what a verification says. */
const TAMPERED: readonly [what: string, sql: (table: string) => string, faults: string[]][] = [
  ['an entry was edited', (t) => `UPDATE ${t} SET client = '' WHERE seq = 2`, ['edited 2']],
  ['an entry was removed', (t) => `DELETE FROM ${t} WHERE seq = 2`, ['removed 2']],
  ['the first entry was removed', (t) => `DELETE FROM ${t} WHERE seq = 0`, ['removed 0']],
  ['the last entry was removed', (t) => `DELETE FROM ${t} WHERE seq = 5`, ['truncated 5']],
  ['the tail was cut off', (t) => `DELETE FROM ${t} WHERE seq > 3`, ['truncated 5']],
  ['all was removed', (t) => `DELETE FROM ${t}`, ['truncated 5']],
  [
    'two entries were swapped',
    (t) =>
      `UPDATE ${t} SET request_id = CASE seq WHEN 2 THEN 'request-3' ELSE 'request-2' END WHERE seq IN (2, 3)`,
    ['edited 2', 'edited 3'],
  ],
  ['a hash was replaced', (t) => `UPDATE ${t} SET hash = '${'1'.repeat(64)}' WHERE seq = 2`, ['edited 2']],
];

const headIn = (table: string) => table.replace('entries', 'head');

eachEngine('an access log', ({ newPlace, sql, isShared }) => {
  test('has an entry when it was acknowledged, and goes on where it ended after a restart', async () => {
    const place = await newPlace();
    for (const at of [0, 1, 2]) {
      const stores = await opened(place);
      await stores.log.append(access(at));
      expect((await entriesOf(stores)).map(({ request_id }) => request_id)).toEqual(
        [0, 1, 2].slice(0, at + 1).map((index) => `request-${index}`),
      );
      expect(await stores.log.verify()).toMatchObject({ faults: [], entries: at + 1 });
      await stores.close();
    }
  });

  test('is a chain: each hash is of the whole entry, which names the hash before it', async () => {
    const stores = await opened(await newPlace());
    await stores.log.append(
      access(0, { path: '/government/"a",{}\\N\n\u2028é\u{1f5ff}', query: "';--", holder: '' }),
    );
    await stores.log.append(access(1, { query: 'from=2025-11-01', keyId: null, holder: null, status: 401 }));
    const entries = await entriesOf(stores);
    expect(entries).toEqual([
      {
        seq: 0,
        time: '2025-12-01T06:00:00.000Z',
        request_id: 'request-0',
        key_id: 'k_7',
        holder: '',
        area: 'government',
        method: 'GET',
        path: '/government/"a",{}\\N\n\u2028é\u{1f5ff}',
        query: "?';--",
        status: 200,
        client: '203.0.113.7',
        prev_hash: NO_HASH,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      expect.objectContaining({
        seq: 1,
        query: '?from=2025-11-01',
        key_id: null,
        holder: null,
        status: 401,
        prev_hash: entries[0]!.hash,
      }),
    ]);
    for (const { hash, ...entry } of entries) {
      // A line of the format, and JSON with sorted members (RFC 8785), which is what JSON.stringify gives for these texts.
      const text = JSON.stringify(entry, Object.keys(entry).sort());
      expect(hash).toBe(createHash('sha256').update(`cathedral-access-log/1\n${text}`).digest('hex'));
    }
  });

  test('without entries verifies', async () => {
    const { log } = await opened(await newPlace());
    await log.check();
    expect(await log.verify()).toMatchObject({ faults: [], entries: 0, last: { seq: -1, hash: NO_HASH } });
  });

  test('keeps 700 entries that come at once, in their order', async () => {
    const stores = await written(await newPlace(), 700);
    const ids = (await entriesOf(stores)).map(({ request_id }) => request_id);
    expect(ids).toEqual(ids.map((_, at) => `request-${at}`));
    expect(await stores.log.verify()).toMatchObject({ faults: [], entries: 700 });
  });

  test('refuses an entry without a time, and takes the one beside it', async () => {
    const stores = await opened(await newPlace());
    const [bad] = await Promise.allSettled([
      stores.log.append(access(0, { time: Number.NaN })),
      stores.log.append(access(1)),
    ]);
    expect(bad.status).toBe('rejected');
    expect((await entriesOf(stores)).map(({ request_id }) => request_id)).toEqual(['request-1']);
  });

  test.each(TAMPERED)('tells that %s', async (_, change, faults) => {
    const place = await newPlace();
    const stores = await written(place, 6);
    await stores.log.close();
    await tamper(place, change, sql(place));
    expect(await faultsOf(stores)).toEqual(faults);
  });

  test('that was written anew from its beginning lacks the head that was kept elsewhere', async () => {
    const [one, other] = [await written(await newPlace(), 3), await written(await newPlace(), 4)];
    const { last } = await one.log.verify();
    expect(await faultsOf(one, last.hash)).toEqual([]);
    expect(await faultsOf(other, last.hash)).toEqual([]);
    const forged = await opened(await newPlace());
    for (const at of [0, 1, 2]) await forged.log.append(access(at, { client: '198.51.100.1' }));
    expect(await faultsOf(forged, last.hash)).toEqual(['head_unknown null']);
  });

  test.each<[what: string, sql: (table: string) => string]>([
    ['its tail', (t) => `DELETE FROM ${t} WHERE seq > 3`],
    ['its head record', (t) => `DELETE FROM ${headIn(t)}`],
    ['the hash of its last entry', (t) => `UPDATE ${t} SET hash = 'x' WHERE seq = 5`],
    [
      'the newest entry of its head record',
      (t) => `UPDATE ${headIn(t)} SET (seq, hash) = (SELECT seq, hash FROM ${t} WHERE seq = 2)`,
    ],
  ])('that lost %s is not written to, by programs that have it open and others', async (_, what) => {
    const place = await newPlace();
    const stores = await written(place, 6);
    await tamper(place, what, sql(place));
    const left = (await entriesOf(stores)).length;
    const broken = { code: 'access_log_broken' };
    for (const { log } of [stores, await opened(place), await opened(place)])
      expect(await failureOf(() => log.append(access(6)))).toMatchObject(broken);
    expect(await entriesOf(stores)).toHaveLength(left);
  });

  test('refuses changes of entries, of its head and of removals, and removals that are not on record', async () => {
    const place = await newPlace();
    const stores = await written(place, 5);
    await stores.log.expire(START + 1000);
    for (const statement of [
      "UPDATE access_log_entries SET client = '' WHERE seq = 2",
      'DELETE FROM access_log_entries WHERE seq = 4',
      'DELETE FROM access_log_entries',
      "UPDATE access_log_head SET seq = 3, hash = ''",
      `UPDATE access_log_head SET seq = 5, hash = '${'1'.repeat(64)}'`,
      'DELETE FROM access_log_head',
      'UPDATE access_log_removals SET last = 4',
      'DELETE FROM access_log_removals',
      'INSERT INTO access_log_entries SELECT seq + 9, time, request_id, key_id, holder, area, method, path, query, status, client, prev_hash, hash FROM access_log_entries',
      ...(isShared
        ? ['TRUNCATE access_log_entries']
        : [
            `REPLACE INTO access_log_head VALUES (1, 2, '${'1'.repeat(64)}')`,
            'REPLACE INTO access_log_removals SELECT first, last, hash, at, before FROM access_log_removals',
          ]),
    ])
      await expect(change(place, statement, sql(place)), statement).rejects.toThrow(/access log/);
    await stores.log.append(access(5));
    expect(await stores.log.verify()).toMatchObject({ faults: [], entries: 5 });
  });

  test('sums refused requests beyond a budget up, and loses none when it is closed', async () => {
    const stores = await opened(await newPlace(), { refusals: 2 });
    const refused = (at: number) => access(at, { isRefused: true, status: 401, client: `2001:db8::${at}` });
    await Promise.all(Array.from({ length: 10 }, (_, at) => stores.log.append(refused(at))));
    await stores.log.append(access(10));
    await stores.log.close();
    expect(await entriesOf(stores)).toMatchObject([
      { request_id: 'request-0' },
      { request_id: 'request-1' },
      { request_id: 'request-10' },
      {
        path: '*',
        query: '?refused=8&since=2025-12-01T06:00:02.000Z',
        status: 401,
        client: '2001:db8:0:0::/64',
      },
    ]);
  });

  test('exports a period, its beginning included and its end not, as lines and as a table', async () => {
    const { log } = await written(await newPlace(), 30);
    const period = [START + 5000, START + 20_000] as const;
    const wanted = Array.from({ length: 15 }, (_, at) => `request-${at + 5}`);
    const lines = (await log.export('ndjson', ...period)).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).request_id)).toEqual(wanted);
    const rows = parse(await log.export('csv', ...period), { columns: true }) as { request_id: string }[];
    expect(rows.map(({ request_id }) => request_id)).toEqual(wanted);
  });

  test('forgets old entries from its beginning while others are added; the rest verifies, and the removal is on record', async () => {
    const stores = await written(await newPlace(), 40);
    const expire = (index: number) => stores.log.expire(START + index * 1000);
    expect(await expire(0)).toEqual({ removed: null, left: 0 });
    const [first] = await Promise.all([
      expire(10),
      ...Array.from({ length: 20 }, (_, at) => stores.log.append(access(40 + at))),
    ]);
    expect(first).toEqual({ removed: { first: 0, last: 9 }, left: 0 });
    await stores.log.append(access(3));
    expect(await expire(15)).toEqual({ removed: { first: 10, last: 14 }, left: 1 });
    expect((await entriesOf(stores))[0]).toMatchObject({ seq: 15 });
    expect(await stores.log.verify()).toMatchObject({
      faults: [],
      entries: 46,
      beginning: {
        seq: 14,
        removals: [
          { at: '2026-01-02T03:04:05.000Z', before: '2025-12-01T06:00:10.000Z', first: 0, last: 9 },
          { before: '2025-12-01T06:00:15.000Z', first: 10, last: 14 },
        ],
      },
    });
    expect(await expire(1000)).toEqual({ removed: { first: 15, last: 60 }, left: 0 });
    await stores.log.append(access(61));
    expect(await stores.log.verify()).toMatchObject({ faults: [], entries: 1, last: { seq: 61 } });
  });

  test('counts a removal that was cut off before the entries went as done, and the next one finishes it', async () => {
    const place = await newPlace();
    const stores = await written(place, 9);
    const { seq, hash } = (await entriesOf(stores))[3]!;
    const record = `(0, ${seq}, '${hash}', '2025-12-02T00:00:00.000Z', '2025-12-01T07:00:00.000Z')`;
    await change(place, `INSERT INTO access_log_removals VALUES ${record}`, sql(place));
    expect(await stores.log.verify()).toMatchObject({ faults: [], entries: 5 });
    await stores.log.append(access(9));
    expect(await stores.log.expire(START)).toEqual({ removed: null, left: 0 });
    expect((await entriesOf(stores))[0]).toMatchObject({ seq: 4 });
    expect(await stores.log.verify()).toMatchObject({ faults: [], entries: 6 });
  });

  test('of several programs is one chain with every acknowledged entry', async () => {
    const stores = await openThree(await newPlace());
    await stores[0].log.append(access(0, { requestId: 'first' }));
    const acknowledged = ['first'];
    await Promise.all(
      Array.from({ length: 12 }, async (_, client) => {
        for (let at = 0; at < 10; at += 1) {
          const requestId = `${client}-${at}`;
          await stores[client % 3]!.log.append(access(at, { requestId }));
          acknowledged.push(requestId);
        }
      }),
    );
    expect((await entriesOf(stores[0])).map(({ request_id }) => request_id).sort()).toEqual(
      acknowledged.sort(),
    );
    expect(await stores[0].log.verify()).toMatchObject({ faults: [], entries: 121 });
  });
});
