import { describe, expect, test } from 'vitest';
import type { HistoryArtifact } from '../../../pipeline/artifacts/artifact.ts';
import { csvHeader } from '../../../pipeline/artifacts/format/csv.ts';
import { HISTORIES } from '../../../pipeline/artifacts/table.ts';
import { formatNdjson } from '../../../pipeline/formats/ndjson.ts';
import { readPiece } from '../../../pipeline/formats/read-rows.ts';
import { TABLES } from '../../../pipeline/formats/tables.ts';
import type { Leaf } from '../../../pipeline/ledger/log/leaf.ts';
import { HISTORY_TABLES } from '../../../pipeline/verify/rows/history-tables.ts';
import { PublicLog } from '../../../pipeline/verify/rows/public-log.ts';
import { type HistoryOptions, verifyHistory } from '../../../pipeline/verify/rows/verify-history.ts';
import { LEDGER, type Site } from '../../mirror/small-service.ts';
import { fixtureLedger } from '../../site/fixture-ledger.ts';
import { publicSite, rowsMadeOf, SiteOrigin } from './public-log.ts';

/** The fixture’s two years, and a last day with what is rare: three mints of one moment. */
const ledger = fixtureLedger();
for (const [sentinel, amount] of [
  ['AUREA', '960.01'],
  ['JADE', '1'],
  ['JADE', '2.5'],
] as const)
  ledger.add('2026-10-02T06:00:00Z', 'mic_mint', 'LEDGER', {
    sentinel,
    cathedral: 'FOR-ECONOMISTS',
    coordination_score: 61.5,
    multiplier: 1.5,
    amount,
  });
ledger.add('2026-10-03T07:00:00Z', 'mii_reading', 'ATLAS', { mii: 0.96 });
const leaves: readonly Leaf[] = ledger.leaves;

interface Made {
  /** Newest first, without separators. */
  rows: ReadonlyMap<string, readonly string[]>;
  asOf: string;
}

/** Every row of every history, as a run makes them of the first events. */
function made(of: readonly Leaf[]): Made {
  const { rows, state } = rowsMadeOf(of);
  const newestFirst = [...rows].map(
    ([path, all]) => [path, all.reverse().map((row) => row.replace(/\n$/, ''))] as const,
  );
  return { rows: new Map(newestFirst), asOf: state.asOf };
}

const whole = made(leaves);
const earlier = made(leaves.slice(0, -900));
const site = publicSite(leaves);

/** A file as a release has it. */
function fileOf(path: string, rows: readonly string[], asOf = whole.asOf): string {
  const artifact = HISTORIES.find((one) => one.path === path) as HistoryArtifact & { schema: never };
  if (artifact.separator === '')
    return [csvHeader(artifact.schema), ...rows.map((row) => `${row}\n`)].join('');
  return artifact.head({ state: { asOf } } as never) + rows.join(artifact.separator) + artifact.tail;
}

async function* chunksOf(text: string, bytes = 5000): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

function logOf(of: Site) {
  return PublicLog.open(new SiteOrigin(of), [LEDGER.verifier]);
}

async function verify(text: string, options: HistoryOptions = {}, of: Site = site) {
  return verifyHistory(chunksOf(text), await logOf(of), options);
}

test('every public history is known, with its path as JSON lines', () => {
  const known = HISTORY_TABLES.map(({ path }) => path);
  expect(known.toSorted()).toEqual(
    HISTORIES.filter(({ restricted }) => !restricted)
      .map(({ path }) => path)
      .toSorted(),
  );
});

/** Findings as `line kind`, and the verdict. */
async function found(text: string, options: HistoryOptions = {}, of: Site = site) {
  const { verdict, findings } = await verify(text, options, of);
  return [verdict, ...findings.map(({ line, kind }) => `${line} ${kind}`)];
}

/** Histories that follow from public events alone, and the line of the first row in each of their forms. */
const PROVED = ['economy/mic-history.csv', 'economy/supply-by-day.csv', 'philosophy/decisions.json'];
const tableOf = (path: string) => HISTORY_TABLES.find((table) => table.path === path)!;
const rowsOf = (path: string) => whole.rows.get(path)!;

describe.each(PROVED)('%s', (path) => {
  const rows = rowsOf(path);

  test('is proved whole, in chunks of any size and with line ends of Windows', async () => {
    const text = fileOf(path, rows);
    for (const bytes of [97, 1 << 20]) {
      const verdict = await verifyHistory(chunksOf(text, bytes), await logOf(site));
      expect(verdict).toMatchObject({
        verdict: 'proved',
        path,
        rows: rows.length,
        proved: rows.length,
        notes: [],
      });
    }
    expect(await found(text.replaceAll('\n', '\r\n'))).toEqual(['proved']);
  });

  test('is proved as JSON lines, and each wrong link is found', async () => {
    const table = TABLES.find(({ artifact }) => artifact.path === path)!;
    const own = rows.flatMap((row) => readPiece(table, tableOf(path).isCsv ? `${row}\n` : row));
    const lines = formatNdjson({ allColumns: table.columns }, own);
    expect(await found(lines.join(''))).toEqual(['proved']);
    const asText = (text: string) => text.replace(/":(-?\d[\d.]*|true|false|null)(?=[,}])/, '":"$1"');
    if (asText(lines[0]!) !== lines[0])
      expect(await found(lines.with(0, asText(lines[0]!)).join(''))).toEqual(['does_not_hold', '1 differs']);
    // A reader may take it for infinity.
    const beyond = lines[0]!.replace(/":-?\d[\d.]*(?=[,}])/, '":1e999');
    if (beyond !== lines[0])
      expect(await found(lines.with(0, beyond).join(''))).toEqual(['does_not_hold', '1 unreadable']);
    const twice = lines[1]!.replace('{', '{"date":"2020-01-01","timestamp":"2020-01-01T00:00:00Z",');
    const member = twice.includes('"date":"2', 30) ? 'timestamp' : 'date';
    const doubled = twice.replace(new RegExp(`"${member}":"2020[^"]*",`), '');
    expect((await found(lines.with(1, doubled).join('')))[0]).toBe('does_not_hold');
    const { dayRows, dayEvents } = tableOf(path).artifact;
    if (dayRows && !dayEvents) return;
    const wrong = lines.map((text) => text.replace(/\}\n$/, ',"event":1}\n'));
    expect((await found(wrong.join(''))).slice(0, 2)).toEqual(['does_not_hold', '1 differs']);
  });

  test('of an earlier release is proved up to its own end', async () => {
    const own = earlier.rows.get(path)!;
    const older = await verify(fileOf(path, own, earlier.asOf));
    expect(older).toMatchObject({ verdict: 'proved', findings: [] });
    if (own.length === rows.length) return;
    const isTimeless = tableOf(path).isCsv;
    expect(older.notes[0]).toMatch(
      isTimeless
        ? /^The file is of an earlier release, or its newest rows were removed: /
        : /^The file is of an earlier release: /,
    );
  });
});

test('a space at the end of a cell is shown', async () => {
  const path = 'economy/mic-history.csv';
  const rows = rowsOf(path);
  const { findings } = await verify(fileOf(path, rows.with(9, rows[9]!.replace(/,(\w+),/, ',$1 ,'))));
  expect(findings[0]!.message).toMatch(/the log gives [\w-]+, the row has "[\w-]+ "$/);
});

test('an added row is found out, and what it is not', async () => {
  const path = 'economy/mic-history.csv';
  const rows = rowsOf(path);
  const added = rows[40]!.split(',').with(2, 'MALLORY').with(3, '1960.5').join();
  const { verdict, findings } = await verify(fileOf(path, rows.toSpliced(41, 0, added)));
  expect([verdict, findings]).toMatchObject(['does_not_hold', [{ line: 43, kind: 'added' }]]);
  const day = rowsOf('economy/minting-by-day.csv');
  const more = day[9]!.split(',').with(1, 'DIPLOMACY').with(2, '7').join();
  expect(await found(fileOf('economy/minting-by-day.csv', day.toSpliced(9, 0, more)))).toEqual([
    'does_not_hold',
    '11 added',
  ]);
});

test('a row of a day without a public event has its place', async () => {
  const path = 'economy/supply-by-day.csv';
  const quiet = leaves.map((leaf) =>
    leaf.event.timestamp.startsWith('2026-05-1')
      ? { ...leaf, event: { ...leaf.event, type: 'heartbeat', data: {} } }
      : leaf,
  );
  const rows = made(quiet).rows.get(path)!;
  const of = publicSite(quiet);
  const at = rows.findIndex((row) => row.startsWith('2026-05-15'));
  expect(await found(fileOf(path, rows), {}, of)).toEqual(['proved']);
  const moved = rows.toSpliced(at, 1);
  for (const to of [at - 20, at - 1, at + 1, at + 20])
    expect((await found(fileOf(path, moved.toSpliced(to, 0, rows[at]!)), {}, of))[0], `${to}`).toBe(
      'does_not_hold',
    );
});

test('a row after older ones is found out, although nobody sees its event', async () => {
  const path = 'economy/supply-by-day.csv';
  const hidden = publicSite(
    leaves.map((leaf) =>
      leaf.event.timestamp.startsWith('2026-05-1') ? withMember(leaf, { note: 'not described' }) : leaf,
    ),
  );
  const rows = rowsOf(path);
  const at = rows.findIndex((row) => row.startsWith('2026-06-15'));
  expect(await found(fileOf(path, rows), {}, hidden)).toEqual(['cannot_be_checked']);
  const twice = rows.toSpliced(at + 30, 0, rows[at]!);
  expect(await found(fileOf(path, twice), {}, hidden)).toEqual(['does_not_hold', `${at + 32} added`]);
  const early = rows.toSpliced(at - 30, 0, rows[at]!);
  expect((await found(fileOf(path, early), {}, hidden))[0]).toBe('does_not_hold');
});

test('rows before the first that the log has say from where on none may be missing', async () => {
  const path = 'economy/mic-history.csv';
  const rows = rowsOf(path);
  const later = rows[0]!.replace(/^\d{4}/, '2027');
  expect(await found(fileOf(path, rows.with(0, later)))).toEqual(['does_not_hold', '3 missing']);
  expect(await found(fileOf(path, rows.toSpliced(0, 40, later)))).toEqual(['does_not_hold', '3 missing']);
});

test.each([
  ['economy/minting-by-day.csv', 'mic_mint'],
  ['economy/cathedral-multipliers.csv', 'genesis'],
] as const)('%s without the first of the rows that it got at once misses it', async (path, type) => {
  const upTo = leaves.findIndex(({ event }) => event.type === type) + (type === 'genesis' ? 1 : 900);
  const rows = made(leaves.slice(0, upTo)).rows.get(path)!;
  const [first, second] = rows.map((row) => row.slice(0, 10));
  expect(first).toBe(second);
  expect(await found(fileOf(path, rows))).toEqual(['proved']);
  expect((await found(fileOf(path, rows.slice(1))))[0]).toBe('does_not_hold');
  expect(
    await found(
      fileOf(
        path,
        rows.filter((row) => row.slice(0, 10) !== first),
      ),
    ),
  ).toEqual(path.endsWith('by-day.csv') ? ['proved'] : expect.anything());
});

test('a row is spelt in its own way, and nothing stands beside its cells', async () => {
  const path = 'economy/mic-history.csv';
  const rows = rowsOf(path);
  const quoted = rows[7]!.replace(/[^,]+/g, '"$&"');
  const whole = await verify(fileOf(path, rows.with(7, quoted)));
  expect([whole.verdict, whole.proved]).toEqual(['proved', rows.length]);
  expect(await found(fileOf(path, rows).replace(/[^,\n]+/g, '"$&"'))).toEqual(['proved']);
  for (const beside of [
    quoted.replace('"', 'x"'),
    quoted.replace('",', '"x,'),
    `${quoted}x`,
    `${quoted},x`,
    `${quoted.slice(0, -1)}`,
  ])
    expect((await found(fileOf(path, rows.with(7, beside)))).slice(0, 2)).toEqual([
      'does_not_hold',
      expect.stringMatching(/^9 /),
    ]);
});

test('a file of another service has none of the log’s rows', async () => {
  const path = 'economy/mic-history.csv';
  const rows = rowsOf(path).map((row) => row.replace(/^\d{4}/, '2021').replace(/\d+\.?\d*,/, '77,'));
  const { verdict, findings, isAbandoned } = await verify(fileOf(path, rows));
  expect([verdict, isAbandoned, findings.length]).toEqual(['does_not_hold', true, 20]);
  expect(findings[0]!.message).toMatch(/no public event of the log gives a row of 2021-/);
});

test('a file with other columns, of a restricted table or of none cannot be checked', async () => {
  const reasonOf = async (text: string, path?: string) => {
    const { verdict, unchecked } = await verify(text, path ? { path } : {});
    return `${verdict}: ${unchecked.join()}`;
  };
  const other = 'timestamp,cycle,sentinel,amount,cathedral,score\n';
  expect(await reasonOf(other)).toMatch(/^cannot_be_checked: .*as this version of the software writes it: /);
  expect(await reasonOf(other, 'economy/mic-history.csv')).toMatch(
    /^cannot_be_checked: .*economy\/mic-history.csv, which has .*coordination_score, as .*: timestamp.*,score/,
  );
  expect(await reasonOf('a,b,c\n1,2,3\n')).toMatch(/^cannot_be_checked: .*not that of a public history/);
  expect(await reasonOf('timestamp,event_type,agent,data,attestation_hash\n')).toContain(
    '`cathedral verify`',
  );
  expect(await reasonOf(fileOf('economy/mic-history.csv', []), 'economy/mii')).toMatch(/not the path/);
  expect(await reasonOf('')).toMatch(/the file is empty/);
});

describe('events that stay hashes', () => {
  const hidden = leaves.map((leaf) =>
    leaf.event.type === 'genesis'
      ? { ...leaf, event: { ...leaf.event, data: { ...leaf.event.data, note: 'No public file shows it' } } }
      : leaf,
  );
  const withHidden = publicSite(hidden);

  test('such as a genesis leave the rest of a history to be checked', async () => {
    const multipliers = await verify(
      fileOf('economy/cathedral-multipliers.csv', rowsOf('economy/cathedral-multipliers.csv')),
      {},
      withHidden,
    );
    expect(multipliers).toMatchObject({ verdict: 'cannot_be_checked', findings: [] });
    expect(multipliers.unchecked[0]).toMatch(/of the genesis event/);
    const mii = rowsOf('economy/mii-by-day.csv');
    expect(await found(fileOf('economy/mii-by-day.csv', mii), {}, withHidden)).toEqual(['cannot_be_checked']);
    const wrong = mii.with(3, mii[3]!.replace(/,(\d)/, ',9$1'));
    expect(await found(fileOf('economy/mii-by-day.csv', wrong), {}, withHidden)).toEqual([
      'does_not_hold',
      '5 differs',
    ]);
  });

  test('leave the first supply open, and a changed row is found all the same', async () => {
    const path = 'economy/supply-by-day.csv';
    const rows = rowsOf(path);
    const { verdict, unchecked, proved } = await verify(fileOf(path, rows), {}, withHidden);
    expect([verdict, proved]).toEqual(['cannot_be_checked', rows.length]);
    expect(unchecked[0]).toMatch(/if it was \d+ MIC/);
    for (const at of [0, 1, 200])
      expect(
        await found(fileOf(path, rows.with(at, rows[at]!.replace(/,(\d)/, ',9$1'))), {}, withHidden),
      ).toEqual(['does_not_hold', `${at + 2} differs`]);
  });

  test('make no row of their day an added one', async () => {
    const path = 'economy/mic-history.csv';
    const at = leaves.findIndex(({ event }) => event.type === 'mic_mint' && event.seq > 500);
    const unknown = leaves.map((leaf, index) =>
      index === at
        ? { ...leaf, event: { ...leaf.event, data: { ...leaf.event.data, note: 'not described' } } }
        : leaf,
    );
    const verdict = await verify(fileOf(path, rowsOf(path)), {}, publicSite(unknown));
    expect(verdict).toMatchObject({
      verdict: 'cannot_be_checked',
      findings: [],
      proved: rowsOf(path).length - 1,
    });
    expect(
      await found(
        fileOf('economy/supply-by-day.csv', rowsOf('economy/supply-by-day.csv')),
        {},
        publicSite(unknown),
      ),
    ).toEqual(['cannot_be_checked']);
  });

  test('may be what a row states that occurs twice on their day', async () => {
    const path = 'economy/mic-history.csv';
    const rows = rowsOf(path);
    const line = rows.findIndex((row, at) => at > 5 && row.slice(0, 10) === rows[at + 1]?.slice(0, 10));
    const at = leaves.indexOf(leaves.filter(({ event }) => event.type === 'mic_mint').at(-1 - line)!);
    const unknown = leaves.with(at, withMember(leaves[at]!, { note: 'not described' }));
    const twice = fileOf(path, rows.with(line, rows[line + 1]!));
    expect(await found(twice, {}, publicSite(unknown))).toEqual(['cannot_be_checked']);
    expect((await found(twice))[0]).toBe('does_not_hold');
  });

  test('such as a genesis and a mint leave the supply open', async () => {
    const path = 'economy/supply-by-day.csv';
    const rows = rowsOf(path);
    const at = leaves.findIndex(({ event }) => event.type === 'mic_mint' && event.seq > 500);
    const both = publicSite(hidden.with(at, withMember(hidden[at]!, { note: 'not described' })));
    expect(await found(fileOf(path, rows), {}, both)).toEqual(['cannot_be_checked']);
    const oldest = rows.length - 1;
    const wrong = rows.with(oldest, rows[oldest]!.replace(/\d+$/, '7'));
    expect(await found(fileOf(path, wrong), {}, both)).toEqual(['does_not_hold', `${oldest + 2} differs`]);
  });
});

function withMember(leaf: Leaf, members: Record<string, unknown>): Leaf {
  return { ...leaf, event: { ...leaf.event, data: { ...leaf.event.data, ...members } } };
}

test('a file without rows lacks what the log has, but not the row of a day that was not over at its checkpoint', async () => {
  const [{ event }] = leaves as [Leaf];
  const firstDay = leaves.filter((leaf) => leaf.event.timestamp.startsWith(event.timestamp.slice(0, 10)));
  for (const path of ['economy/mii-by-day.csv', 'economy/supply-by-day.csv', 'academics/events-by-day.csv']) {
    const text = fileOf(path, made(firstDay).rows.get(path) ?? []);
    expect([path, await found(text, {}, publicSite(firstDay))]).toEqual([path, ['proved']]);
    expect([path, await found(text)]).toEqual([path, ['does_not_hold', '1 missing']]);
  }
  expect(await found(fileOf('economy/mic-history.csv', []))).toEqual(['does_not_hold', '1 missing']);
});

test('a JSON history says nothing but its time, which the log has reached', async () => {
  const path = 'philosophy/decisions.json';
  const text = fileOf(path, rowsOf(path));
  const ahead = await verify(text.replace(whole.asOf, '2026-11-01T00:00:00Z'));
  expect(ahead).toMatchObject({ verdict: 'cannot_be_checked', findings: [], proved: rowsOf(path).length });
  expect(ahead.unchecked[0]).toMatch(/2026-11-01T00:00:00Z, after the log’s checkpoint/);
  for (const more of ['"note":"all false",', `"timestamp":"2020-01-01T00:00:00Z",`]) {
    const { verdict, unchecked } = await verify(text.replace('{', `{${more}`));
    expect([verdict, unchecked[0]]).toEqual([
      'cannot_be_checked',
      expect.stringContaining('its first line is not'),
    ]);
  }
});

test.each(['economy/mic-history.csv', 'economy/supply-by-day.csv', 'academics/events-by-day.csv'])(
  'a log that ends before the file proves the rows up to its end: %s',
  async (path) => {
    const verdict = await verify(fileOf(path, rowsOf(path)), {}, publicSite(leaves.slice(0, -900)));
    expect(verdict).toMatchObject({ verdict: 'cannot_be_checked', findings: [] });
    expect(verdict.unchecked.join()).toMatch(
      /newer than the log’s newest public event|not over at the checkpoint/,
    );
  },
);
