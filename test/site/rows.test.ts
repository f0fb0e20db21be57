import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Row } from '../../pipeline/formats/columns.ts';
import { csvCells } from '../../pipeline/formats/csv-cells.ts';
import { ParquetFile } from '../../pipeline/formats/parquet.ts';
import { readTable } from '../../pipeline/formats/read-rows.ts';
import { BLOCK_ROWS } from '../../pipeline/formats/table-file.ts';
import { TABLES } from '../../pipeline/formats/tables.ts';
import type { Fetch } from '../../src/site/explore/rows/remote-file.ts';
import { BROWSED, rowsFacts } from '../../src/site/explore/rows/rows-facts.ts';
import { cellText, selectRows } from '../../src/site/explore/rows/select-rows.ts';
import {
  formatSelection,
  parseSelection,
  ROWS_A_PAGE,
  type Selection,
} from '../../src/site/explore/rows/selection.ts';
import type { TableAbout } from '../../src/site/explore/rows/table-about.ts';
import { csvText, openRows, type TableRows } from '../../src/site/explore/rows/table-rows.ts';
import { SiteRelease } from '../../src/site/layout/release.ts';
import { NeedsConsent } from '../../src/site/layout/worker-jobs.ts';
import { ORGANISATION } from '../organisation.ts';
import { filesRelease } from './files-release.ts';
import { BASE_URL } from './fixture-release.ts';

const ALL = Number.POSITIVE_INFINITY;
const WHOLE: Selection = { page: 1, sort: null, filters: [] };

let release: SiteRelease;
let draft: string;

beforeAll(async () => {
  ({ draft } = await filesRelease());
  release = new SiteRelease(draft, { baseUrl: BASE_URL, organisation: ORGANISATION });
});

/** A host of some files, which counts what it sends. */
function hostOf(read: (path: string) => Buffer, hasRanges = true) {
  const sent: number[] = [];
  const fetch: Fetch = async (path, init) => {
    const bytes = read(path.slice(1));
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init.headers).get('range') ?? '') ?? [];
    const isPart = hasRanges && from !== undefined;
    const body = isPart ? bytes.subarray(Number(from), Number(to) + 1) : bytes;
    sent.push(body.length);
    const headers = isPart ? { 'content-range': `bytes ${from}-${to}/${bytes.length}` } : {};
    return new Response(new Uint8Array(body), { status: isPart ? 206 : 200, headers });
  };
  return { fetch, sent };
}

const from = (fetch: Fetch) => ({ fetch, traffic: { requests: 0, bytes: 0 }, isServed: async () => false });
const published = () => hostOf((path) => readFileSync(join(draft, 'public', path)));

async function pagesOf(source: TableRows, selection = WHOLE) {
  const rows: string[][] = [];
  for (let page = 1; ; page += 1) {
    const { total, rows: shown } = await source.page({ ...selection, page }, ALL);
    rows.push(...shown.map(({ cells }) => cells));
    expect(shown.length).toBe(Math.min(ROWS_A_PAGE, Math.max(0, total - (page - 1) * ROWS_A_PAGE)));
    if (rows.length >= total) return rows;
  }
}

const tables = [...BROWSED.values()].flat();
const growing = tables.filter(({ grows, artifact }) => grows && artifact.mediaType.startsWith('text/csv'));

describe('the rows of a table', () => {
  test.each(tables.map((table) => [table.name, table] as const))(
    '%s: all pages together are the file',
    async (_, table) => {
      const { about, rows } = rowsFacts(release, table.artifact.path, table.name);
      const text = readFileSync(join(draft, 'public', about.artifact.path), 'utf8');
      const expected = about.artifact.mediaType.startsWith('text/csv')
        ? csvCells(text.slice(text.indexOf('\n') + 1))
        : readTable(table, text).map((row) => row.map(cellText));
      expect(expected.length).toBe(about.rows);
      expect(rows.map(({ cells }) => cells)).toEqual(expected.slice(0, ROWS_A_PAGE));
      expect(await pagesOf(await openRows(about, from(published().fetch)))).toEqual(expected);
      if (!table.grows || expected.length === 0) return;
      expect(about.parts.length).toBeGreaterThan(0);
      const inParts = await openRows({ ...about, mostWhole: 0 }, from(published().fetch));
      expect(await pagesOf(inParts)).toEqual(expected);
    },
  );

  test('are those of the page: a server is asked for its version, and no other bytes are taken', async () => {
    const { about } = rowsFacts(release, 'economy/supply-by-day.csv');
    const asked: string[] = [];
    const own = readFileSync(join(draft, 'public/economy/supply-by-day.csv'));
    const { fetch } = hostOf((path) => {
      asked.push(path);
      return own;
    });
    await openRows(about, { ...from(fetch), isServed: async () => true });
    expect(asked).toEqual([`economy/supply-by-day.csv?sha256=${about.sha256}`]);
    const flipped = Buffer.from(own);
    flipped[own.length - 3]! ^= 1;
    for (const other of [
      own.subarray(0, own.lastIndexOf('\n', own.length / 2) + 1),
      flipped,
      '<p>Log in',
      '',
    ])
      await expect(openRows(about, from(hostOf(() => Buffer.from(other)).fetch))).rejects.toThrow(
        `/economy/supply-by-day.csv: expected SHA-256 ${about.sha256}`,
      );
  });

  test('are asked for past the browser’s cache, where that has another file', async () => {
    const { about } = rowsFacts(release, 'economy/supply-by-day.csv');
    const { fetch } = published();
    const asked: unknown[] = [];
    const stale: Fetch = async (path, init) => {
      asked.push(init.cache);
      return init.cache === 'reload' ? fetch(path, init) : new Response('of the release before');
    };
    const { total } = await (await openRows(about, from(stale))).page(WHOLE, ALL);
    expect([total, asked]).toEqual([about.rows, ['default', 'reload']]);
  });

  test('a line that proves a row is the line of the file', async () => {
    for (const path of [
      'economy/mic-history.csv',
      'philosophy/decisions.json',
      'economy/minting-by-day.csv',
    ]) {
      const { about, rows } = rowsFacts(release, path);
      const lines = readFileSync(join(draft, 'public', path), 'utf8')
        .split('\n')
        .map((line) => line.replace(/,$/, ''));
      const source = await openRows(about, from(published().fetch));
      expect(rows.length).toBeGreaterThan(0);
      for (const { line } of [...rows, ...(await source.page(WHOLE, ALL)).rows])
        expect(lines).toContain(line);
    }
  });

  test.each([
    ...'?sort=-amount ?sort=timestamp ?sort=sentinel&filter=amount:between:300,800'.split(' '),
    ...'?filter=sentinel:contains:e&filter=coordination_score:lt:40'.split(' '),
    ...'?filter=timestamp:eq:2026-01-01'.split(' '),
    ...'?filter=timestamp:gt:2025-12-31&sort=-coordination_score'.split(' '),
    ...'?filter=timestamp:lt:2025-12-30T12:00:00Z ?filter=amount:eq:0'.split(' '),
  ])('%s selects the same from the whole file and from parts', async (query) => {
    const { about } = rowsFacts(release, 'economy/mic-history.csv');
    const { selection, wrong } = parseSelection(new URLSearchParams(query), about.columns);
    expect(wrong).toEqual([]);
    expect(formatSelection(selection)).toBe(query.replace(/^\?(filter.*?)&(sort=[^&]*)$/, '?$2&$1'));
    const whole = await openRows(about, from(published().fetch));
    const parts = await openRows({ ...about, mostWhole: 0 }, from(published().fetch));
    const rows = await pagesOf(whole, selection);
    expect(await pagesOf(parts, selection)).toEqual(rows);
    const all = await pagesOf(whole);
    const [, , sentinels, amounts, , scores] = all[0]!.map((__, at) => all.map((row) => row[at]!));
    const by: Record<string, (at: number) => boolean> = {
      'amount:between:300,800': (at) => Number(amounts![at]) >= 300 && Number(amounts![at]) <= 800,
      'sentinel:contains:e': (at) => /e/i.test(sentinels![at]!),
      'coordination_score:lt:40': (at) => Number(scores![at]) < 40,
      'timestamp:eq:2026-01-01': (at) => all[at]![0]!.startsWith('2026-01-01'),
      'timestamp:gt:2025-12-31': (at) => all[at]![0]! >= '2026-01-01',
      'timestamp:lt:2025-12-30T12:00:00Z': (at) => all[at]![0]! < '2025-12-30T12:00:00Z',
      'amount:eq:0': (at) => Number(amounts![at]) === 0,
    };
    const wanted = new URLSearchParams(query).getAll('filter').map((text) => by[text]!);
    const selected = all.filter((___, at) => wanted.every((has) => has(at)));
    expect(rows.toSorted()).toEqual(selected.toSorted());
    const { sort } = selection;
    if (!sort) return expect(rows).toEqual(selected);
    const at = about.columns.findIndex(({ name }) => name === sort.column);
    const keys = rows.map((row) => (/amount|score/.test(sort.column) ? Number(row[at]) : row[at]!));
    const ordered = keys.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
    return expect(keys).toEqual(sort.descending ? ordered.reverse() : ordered);
  });

  test('a saved selection is the rows of the file, in CSV', async () => {
    const { about } = rowsFacts(release, 'economy/mic-history.csv');
    const text = readFileSync(join(draft, 'public', about.artifact.path), 'utf8');
    for (const mostWhole of [about.mostWhole, 0]) {
      const source = await openRows({ ...about, mostWhole }, from(published().fetch));
      expect(await (await source.csv(WHOLE, ALL)).text()).toBe(text);
    }
  });
});

describe('a long history', () => {
  const table = growing.find(({ name }) => name === 'mic_history')!;
  const COUNT = 3 * BLOCK_ROWS + 500;
  const row = (index: number): Row => [
    new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString().replace('.000', ''),
    `C-${182 + Math.floor(index / 1440)}`,
    // A decoder takes the sign at the beginning for a byte order mark, unless told not to.
    ['ATLAS', '\u{feff}ÉCHO', 'JADE'][index % 3]!,
    // More digits than a double has.
    `${(index * 7919) % 100_003}00000000000.${String((index % 9) + 1).padStart(6, '0')}`,
    'FOR-ACADEMICS',
    ((index * 31) % 997) / 7,
    index,
  ];
  let bytes: Buffer;
  let about: TableAbout;

  beforeAll(() => {
    const file = new ParquetFile(table);
    const parts: Uint8Array[] = [];
    for (let at = 0; at < COUNT; at += BLOCK_ROWS)
      parts.push(
        ...file.add(Array.from({ length: Math.min(BLOCK_ROWS, COUNT - at) }, (_, index) => row(at + index))),
      );
    bytes = Buffer.concat([...parts, ...file.finish()]);
    const { about: small } = rowsFacts(release, table.artifact.path);
    const [part] = small.parts;
    about = { ...small, mostWhole: 0, rows: COUNT, parts: [{ path: part!.path, bytes: bytes.length }] };
  });

  const cells = (index: number) =>
    row(index)
      .slice(0, 6)
      .map((cell, at) => csvText(cell, table.columns[at]!.type));

  test('only the groups and columns of a page are read', async () => {
    const { fetch, sent } = hostOf(() => bytes);
    const source = await openRows(about, from(fetch));
    const { total, rows } = await source.page(WHOLE, ALL);
    expect(total).toBe(COUNT);
    expect(rows.map(({ cells }) => cells)).toEqual(
      Array.from({ length: 50 }, (_, at) => cells(COUNT - 1 - at)),
    );
    // The footer, and the newest group.
    expect(sent).toEqual([1 << 16, expect.any(Number)]);
    await source.page({ ...WHOLE, page: 400 }, ALL);
    expect(sent.length).toBe(3);
    expect(Math.max(...sent)).toBeLessThan(bytes.length / 2);
  });

  test('sorting reads one column, and a bound leaves out groups', async () => {
    const sorted = hostOf(() => bytes);
    const source = await openRows(about, from(sorted.fetch));
    const asked = source.page({ ...WHOLE, sort: { column: 'coordination_score', descending: true } }, 1000);
    await expect(asked).rejects.toThrow(NeedsConsent);
    const narrow = hostOf(() => bytes);
    const other = await openRows(about, from(narrow.fetch));
    const day = new Date(Date.UTC(2026, 0, 1) + COUNT * 60_000).toISOString().slice(0, 10);
    const { selection } = parseSelection(
      new URLSearchParams(`filter=timestamp:eq:${day}&sort=-amount`),
      about.columns,
    );
    const { total, rows } = await other.page(selection, ALL);
    const expected = Array.from({ length: COUNT }, (_, at) => cells(at)).filter(([time]) =>
      time!.startsWith(day),
    );
    expect(total).toBe(expected.length);
    const key = ([, , , amount]: string[]) => BigInt(amount!.replace('.', ''));
    expect(rows.map(({ cells }) => cells[3])).toEqual(
      expected
        .toSorted((a, b) => (key(a) < key(b) ? 1 : -1))
        .slice(0, 50)
        .map((one) => one[3]),
    );
    expect(narrow.sent.reduce((sum, one) => sum + one)).toBeLessThan(bytes.length / 3);
  });

  test('a host without ranges sends the file once, and a longer one is not taken', async () => {
    const { fetch, sent } = hostOf(() => bytes, false);
    const source = await openRows(about, from(fetch));
    for (const page of [1, 2, 900]) await source.page({ ...WHOLE, page }, ALL);
    expect(sent).toEqual([bytes.length]);
    const longer = { ...about, parts: [{ path: about.parts[0]!.path, bytes: 1 << 30 }] };
    await expect(openRows(longer, from(fetch))).rejects.toThrow(
      /sends only whole files, and \/economy\/mic-history-\d{4}\.parquet has 1074 MB/,
    );
  });

  test('parts of two releases make no file, and a refusal says why', async () => {
    const grown = hostOf(() => Buffer.concat([bytes, Buffer.alloc(9)]));
    await expect(openRows(about, from(grown.fetch))).rejects.toThrow('A newer release has another');
    const tags = ['"one"', '"two"'];
    const same = hostOf(() => bytes);
    const switching: Fetch = async (path, init) => {
      const response = await same.fetch(path, init);
      response.headers.set('etag', tags.shift()!);
      return response;
    };
    const switched = await openRows(about, from(switching));
    await expect(switched.page(WHOLE, ALL)).rejects.toThrow('A newer release has another');
    const problem = new Response(
      '{"code":"rate_limited","detail":"100 requests a day; again at 00:00 UTC"}',
      { status: 429 },
    );
    await expect(
      openRows(
        about,
        from(async () => problem),
      ),
    ).rejects.toThrow('status 429: 100 requests a day; again at 00:00 UTC');
  });
});

describe('a selection', () => {
  const columns = [
    { name: 'amount', type: 'decimal', nullable: true },
    { name: 'at', type: 'datetime', nullable: false },
  ] as const;
  const times = '1T00:00:30Z 1T00:00:00.5Z 1T00:00:00Z 1T00:00:00.50Z 1T23:59:59Z 2T00:00:00Z'.split(' ');
  const cells: Record<string, (string | null)[]> = {
    amount: ['-0.5', '10', '9.000001', '', '9.000001', null],
    at: times.map((time) => `2026-01-0${time}`),
  };

  test.each([
    ['sort=amount', [0, 2, 4, 1, 3, 5]],
    ['sort=-amount', [1, 2, 4, 0, 3, 5]],
    ['sort=at', [2, 1, 3, 0, 4, 5]],
    ['filter=amount:lt:9.0000011', [0, 2, 4]],
    ['filter=amount:gt:%2B9.000001', [1]],
    ['filter=amount:empty', [3, 5]],
    ['filter=at:eq:2026-01-01', [0, 1, 2, 3, 4]],
    ['filter=at:gt:2026-01-01', [5]],
    ['filter=at:eq:2026-01-01T00:00:00.5Z', [1, 3]],
    ['filter=at:between:2026-01-01T00:00:30Z,2026-01-01', [0, 4]],
  ])('%s compares amounts exactly and times as times; no value comes last', (query, expected) => {
    const { selection, wrong } = parseSelection(new URLSearchParams(query), columns);
    expect(wrong).toEqual([]);
    expect(selectRows([0, 1, 2, 3, 4, 5], selection, columns, (name) => cells[name]!)).toEqual(expected);
  });
});

describe('an address that asks for what there is not', () => {
  const { columns } = TABLES.find(({ name }) => name === 'mic_history')!;
  test.each([
    ['page=0', 'page', '0'],
    ['page=-3', 'page', '-3'],
    ['page=2&page=3', 'page', '2 and 3'],
    ['sort=-amounts', 'sort', 'amounts'],
    ['sort=-amount&sort=timestamp', 'sort', '-amount and timestamp'],
    ['filter=amounts:gt:4', 'filter=amounts:gt:4', 'amounts'],
    ['filter=amount:contains:4', 'filter=amount:contains:4', 'contains'],
    ['filter=amount:gt:four', 'filter=amount:gt:four', 'four'],
    ['filter=amount:between:4', 'filter=amount:between:4', '4'],
    ['filter=timestamp:gt:2026-02-30', 'filter=timestamp:gt:2026-02-30', '2026-02-30'],
    ['filter=sentinel:contains:', 'filter=sentinel:contains:', 'nothing'],
    ['filter=', 'filter=', 'nothing'],
    ['as_of=2026-01-31', 'as_of', '2026-01-31'],
    [Array(9).fill('filter=sentinel:empty').join('&'), 'filter', '9'],
  ])('%s', (query, place, found) => {
    const { wrong } = parseSelection(new URLSearchParams(query), columns);
    expect(wrong).toEqual([{ place, expected: expect.any(String), found }]);
  });
});
