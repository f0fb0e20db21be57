import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LedgerWriter } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import { type FileKind, fileSource } from '../../../pipeline/sources/file/file-source.ts';
import { removeIndex } from '../../../pipeline/sources/import/row-index.ts';
import type { RowFinding } from '../../../pipeline/sources/import/source.ts';
import { type Mapping, parseMapping } from '../../../pipeline/sources/rows/mapping.ts';
import { Folders, ids, importFrom, rowsIn, SIGNER, verifiedLedger } from '../civic/import-fixture.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const folders = new Folders();
let ledger = '';
let path = '';

beforeEach(() => {
  ledger = folders.make();
  path = join(folders.make(), 'rows');
});
afterEach(() => folders.remove());

const timeOf = (row: number) => new Date(START + row * 10_000).toISOString().replace('.000', '');
const line = (row: number, more: object = {}) =>
  `${JSON.stringify({ timestamp: timeOf(row), type: 'mii_reading', agent: 'ATLAS', data: { mii: row / 20_000 }, ...more })}\n`;
const lines = (first: number, last: number, more: (row: number) => object = () => ({})) =>
  ids(first, last)
    .map((row) => line(Number(row), more(Number(row))))
    .join('');

function follow(
  kind: FileKind,
  mapping: Mapping | null = null,
  { full = false, now = '2026-01-03T00:00:00Z', source = fileSource(kind, path, mapping) } = {},
) {
  return importFrom(source, ledger, { now: () => Date.parse(now), full });
}

const ATTESTED = {
  companion: 'AUREA',
  ledger_id: '6f1c2a52-5f0e-4c52-9d5c-0d6a1a7f3b11',
  scope: ['read'],
  risk_level: 'low',
};

const messageOf = (run: Promise<unknown>) =>
  run.then(
    () => 'imported',
    (error: Error) => error.message,
  );

describe('a file of NDJSON', () => {
  test('is followed as it grows, each line once, and half a line waits', async () => {
    writeFileSync(path, `\ufeff${lines(1, 5000)}\r\n${lines(5001, 5002)}`);
    expect(await follow('ndjson', null, { now: timeOf(5003) })).toMatchObject({
      imported: 5002,
      findings: [],
    });
    const next = lines(5003, 5300);
    appendFileSync(path, next.slice(0, -30));
    expect(await follow('ndjson', null, { now: timeOf(5301) })).toMatchObject({
      imported: 297,
      findings: [{ kind: 'unread' }],
    });
    appendFileSync(path, next.slice(-30));
    expect(await follow('ndjson', null, { now: timeOf(5301) })).toMatchObject({ imported: 1, findings: [] });
    expect(await follow('ndjson', null, { full: true })).toMatchObject({ imported: 0, findings: [] });
    expect(await rowsIn(ledger)).toEqual(ids(1, 5300));
  });

  test('with a line without an id among others with one, or an id twice, stops there', async () => {
    const burn = (row: number, id: string | null = `u${row}`) =>
      line(row, { type: 'mic_burn', data: { amount: `${row}`, reason: 'fees' }, ...(id !== null && { id }) });
    const refused: [content: string, imported: string[], message: RegExp][] = [
      [
        burn(1) + burn(2) + burn(3, null) + burn(4),
        ['u1', 'u2'],
        /:3, row 3, column id: expected an id of 1/,
      ],
      [
        burn(1) + burn(2) + burn(3, null) + burn(4, '3'),
        ['u1', 'u2'],
        /:3, row 3, column id: expected an id of 1/,
      ],
      [burn(1) + burn(2) + burn(3, 'u1'), [], /rows:3: expected each id once, found "u1", as in line 1/],
      [
        burn(1, null) + burn(2, null) + burn(3),
        ['1', '2'],
        /row 3: expected no id, as the first row has none, found "u3"/,
      ],
    ];
    for (const [content, imported, message] of refused) {
      ledger = folders.make();
      writeFileSync(path, content);
      for (const full of [false, true])
        await expect(follow('ndjson', null, { now: timeOf(5), full })).rejects.toThrow(message);
      expect(await rowsIn(ledger)).toEqual(imported);
    }
    writeFileSync(path, burn(1, null) + burn(2, null) + burn(3, null));
    expect(await follow('ndjson', null, { now: timeOf(5) })).toMatchObject({ imported: 1, findings: [] });
  });

  test('whose times are written with more or fewer zeros, or with another offset, says the same', async () => {
    const at = (...times: string[]) => times.map((timestamp, row) => line(row, { timestamp })).join('');
    writeFileSync(path, at('2026-01-01T10:00:00.100Z', '2026-01-01T10:00:01Z', '2026-01-01T10:00:02.5Z'));
    expect(await follow('ndjson')).toMatchObject({ imported: 3 });
    const others = ['2026-01-01T11:00:00.1+01:00', '2026-01-01T10:00:01.000Z', '2026-01-01T10:00:02.500000Z'];
    writeFileSync(path, at(...others));
    expect(await follow('ndjson')).toMatchObject({ imported: 0, findings: [] });
    removeIndex(ledger);
    expect(await follow('ndjson')).toMatchObject({ imported: 0, findings: [] });
  });

  test('whose amounts and times are written with more or fewer zeros says the same, and another amount does not', async () => {
    const burns = (amount: (row: number) => string, expires: string) =>
      ids(1, 12)
        .map((row) =>
          Number(row) % 2 === 0
            ? line(Number(row), {
                type: 'mic_burn',
                data: { amount: amount(Number(row)), reason: 'fees', rate: 'v1.50 of 2.0' },
              })
            : line(Number(row), {
                type: 'companion_attested',
                data: { ...ATTESTED, attestation: 'a'.repeat(64), expires_at: expires },
              }),
        )
        .join('');
    writeFileSync(
      path,
      burns((row) => `${row}.50`, '2026-02-01T00:00:00.000Z'),
    );
    expect(await follow('ndjson')).toMatchObject({ imported: 12 });
    writeFileSync(
      path,
      burns((row) => `${row}.5`, '2026-02-01T00:00:00Z'),
    );
    expect(await follow('ndjson', null, { full: true })).toMatchObject({ imported: 0, findings: [] });
    removeIndex(ledger);
    expect(await follow('ndjson', null, { full: true })).toMatchObject({ imported: 0, findings: [] });
    writeFileSync(
      path,
      burns((row) => (row === 4 ? '40.5' : `${row}.500`), '2026-02-01T00:00:00Z'),
    );
    expect(await follow('ndjson', null, { full: true })).toMatchObject({
      findings: [{ kind: 'modified', rows: ['4'] }],
    });
    const { events } = await verifiedLedger(ledger);
    expect(events[1]).toMatchObject({ data: { amount: '2.50' } });
  });

  test('is warned about as by an append, once for each kind of mistake and member, with the first place', async () => {
    const told: string[] = [];
    const how = {
      now: () => Date.parse(timeOf(703)),
      tell: (one: RowFinding) => told.push(`${one.kind} ${one.rows}`),
    };
    const again = () => importFrom(fileSource('ndjson', path, null), ledger, how);
    const misread = { type: 'note', data: { text: 'MÃ¼ller' } };
    const lost = { type: 'note', data: { text: 'M\ufffdller' } };
    const own = (row: number) =>
      [{}, misread, { agent: 'NA' }, { agent: 'ATLAS ' }, { agent: '\u00e5TLAS' }, lost][row % 6]!;
    writeFileSync(path, lines(1, 600, own));
    const { findings } = await again();
    const place = (row: number) => `ndjson+file:${path}:${row}, row ${row}`;
    const times = '(100 times)';
    expect(findings.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      `value: ${place(1)}: expected data.text to be a text in its own encoding ("encoding" in the mapping file is that of files that are not UTF-8), found "MÃ¼ller", as if UTF-8 had been read as Windows-1252 ${times}`,
      expect.stringContaining(`value: ${place(2)}: expected agent to be a value`),
      `id: ${place(3)}: expected agent to be an id that spreadsheets keep as it is, found "ATLAS ", which they convert ${times}`,
      `name: ${place(3)}: expected agent to be "ATLAS", as in event 0, found "ATLAS ", which looks like it ${times}`,
      expect.stringContaining(
        `value: ${place(5)}: expected data.text to be a text of which nothing was lost`,
      ),
    ]);
    expect(told).toEqual(['value 1', 'value 2', 'id 3', 'name 3', 'value 5']);
    appendFileSync(path, lines(601, 700, own));
    expect(await again()).toMatchObject({ imported: 100, findings: [] });
    // A name of another import, and a row that is no event after one with a warning.
    appendFileSync(path, line(701, { agent: 'hermes' }));
    expect(await again()).toMatchObject({ imported: 1, findings: [] });
    appendFileSync(path, `${line(702, { agent: 'HERMES' })}{"type":1}\n`);
    told.length = 0;
    expect(await messageOf(again())).toContain(':703, row 703');
    expect(told).toEqual(['name 702']);
  });

  test('of a narrow CSV table with two quotes that nobody closed is warned about, wherever they are', async () => {
    const row = (number: number, kind: string, text: string) => `${timeOf(number)},${kind},${text}\n`;
    const pair = (number: number, kind: string) => row(number, kind, '"5') + row(number + 1, 'note', '6"');
    const type = { column: 'kind', values: { note: 'note', draft: null } };
    const data = { note: { text: 'text' } };
    const file = { timestamp: 'at', type, agent: { constant: 'A' }, data };
    const mapping = parseMapping(JSON.stringify(file), 'mapping.json');
    const again = async () => (await follow('csv', mapping, { now: timeOf(9) })).findings;
    const finding = (line: number, id: string) => ({
      kind: 'quote',
      rows: [id],
      message: `csv+file:${path}:${line}, row ${id}: expected line ${line + 1} to begin a row, found it in one cell: a quote may not be closed`,
    });
    writeFileSync(path, `at,kind,text\n${row(1, 'note', '4')}${pair(2, 'note')}`);
    expect(await again()).toEqual([finding(3, '2')]);
    appendFileSync(path, pair(4, 'note') + pair(6, 'draft'));
    expect(await again()).toEqual([finding(5, '3'), finding(7, '4')]);
    expect(await again()).toEqual([]);
  });

  test('without a column of the mapping file in any line is warned about when it is imported first', async () => {
    const mapping = parseMapping(
      JSON.stringify({
        timestamp: 'timestamp',
        type: { constant: 'note' },
        agent: 'agent',
        data: { note: { mii: 'data.mii', text: 'data.txt' } },
      }),
      'mapping.json',
    );
    const how = { now: timeOf(400) };
    writeFileSync(path, lines(1, 200));
    const message = `ndjson+file:${path}: expected a row with "data.txt", which the mapping file names, found none`;
    expect(await follow('ndjson', mapping, how)).toMatchObject({
      imported: 200,
      findings: [{ kind: 'member', rows: [], message }],
    });
    appendFileSync(path, line(201, { data: {} }));
    expect(await follow('ndjson', mapping, how)).toMatchObject({ imported: 1, findings: [] });
    appendFileSync(path, line(202, { data: {}, 'data.text': 'x' }));
    expect(await follow('ndjson', mapping, how)).toMatchObject({
      imported: 1,
      findings: [
        {
          kind: 'member',
          message: expect.stringContaining(
            'expected the member "data.txt", which the mapping file names, found "data.text", but not this one',
          ),
        },
      ],
    });
  });

  test('with thousands of mistakes gets twenty warnings of each kind', async () => {
    writeFileSync(
      path,
      lines(1, 4000, (row) => ({ agent: `A${row % 2000}${row > 2000 ? ' ' : ''}` })),
    );
    const { findings } = await follow('ndjson');
    expect(findings.map(({ kind }) => kind)).toEqual(['id', ...Array(20).fill('name')]);
  });

  test('with a row that cannot be read any more says why', async () => {
    const now = timeOf(5);
    writeFileSync(path, lines(1, 3));
    await follow('ndjson', null, { now });
    writeFileSync(path, line(1) + line(2).replace('0.0001', '0.10000000000000001') + lines(3, 4));
    const { imported, findings } = await follow('ndjson', null, { now });
    expect({ imported, messages: findings.map(({ message }) => message) }).toEqual({
      imported: 1,
      messages: [
        expect.stringMatching(
          /^1 row \(2\) was modified .* Now row 2 is no event: expected a number that a double holds[^0]*$/,
        ),
      ],
    });
  });

  test.each([['the last row of a block', 4096, 4096]])(
    'that lost %s is followed further, and the rows are reported once',
    async (_, first, last) => {
      const own = (row: number) => ({ id: `r${row}` });
      writeFileSync(path, lines(1, 5003, own));
      const how = { full: true, now: timeOf(5003) };
      await follow('ndjson', null, how);
      const left = lines(1, first - 1, own) + lines(last + 1, 5003, own);
      writeFileSync(path, left);
      const { findings } = await follow('ndjson', null, how);
      expect(findings).toMatchObject([{ kind: 'deleted', message: expect.stringContaining(`r${last}`) }]);
      appendFileSync(path, lines(5004, 5005, own));
      expect(await follow('ndjson', null, how)).toMatchObject({ imported: 2, findings: [] });
      expect(await follow('ndjson', null, how)).toMatchObject({ imported: 0, findings: [] });
      expect((await rowsIn(ledger)).slice(5003)).toEqual(['!source-changed', 'r5004', 'r5005']);
    },
  );

  test('that is overwritten is not read before all of it is written', async () => {
    const now = () => ({ now: new Date().toISOString() });
    writeFileSync(path, lines(1, 40));
    expect(await follow('ndjson', null, now())).toMatchObject({ imported: 40 });
    writeFileSync(path, lines(1, 15));
    const run = follow('ndjson', null, now());
    await sleep(1000);
    writeFileSync(path, lines(1, 25));
    await sleep(1500);
    writeFileSync(path, lines(1, 41));
    expect(await run).toMatchObject({ imported: 1, findings: [{ kind: 'late', rows: ['41'] }] });
    // Nobody is writing it.
    writeFileSync(path, lines(1, 40));
    expect(await follow('ndjson', null, now())).toMatchObject({
      findings: [{ kind: 'deleted', rows: ['41'] }],
    });
  });

  test('whose last rows were missing for a while does not count them twice', async () => {
    writeFileSync(path, lines(1, 40));
    expect(await follow('ndjson')).toMatchObject({ imported: 40, findings: [] });
    writeFileSync(path, lines(1, 30));
    expect(await follow('ndjson')).toMatchObject({ findings: [{ kind: 'deleted', rows: ids(31, 40) }] });
    writeFileSync(path, lines(1, 39));
    expect(await follow('ndjson')).toMatchObject({
      imported: 0,
      findings: [{ kind: 'modified', rows: ids(31, 39) }],
    });
    // Rows without an id are numbered, so another row has the number of a deleted one.
    appendFileSync(path, line(42));
    expect(await follow('ndjson')).toMatchObject({ imported: 1, findings: [{ kind: 'late', rows: ['40'] }] });
    for (let again = 0; again < 2; again += 1) {
      expect(await follow('ndjson')).toMatchObject({ imported: 0, findings: [] });
      removeIndex(ledger);
    }
    expect((await rowsIn(ledger)).filter((row) => !row.startsWith('!'))).toEqual([...ids(1, 40), '40']);
  });

  test('does not stop at a row that is back as it was, although it could not become a new event', async () => {
    const changed = line(31, { data: { mii: 'abc' } });
    for (const all of [lines(1, 31), lines(1, 30) + changed, lines(1, 30)]) {
      writeFileSync(path, all);
      await follow('ndjson');
    }
    writeFileSync(path, lines(1, 30) + changed + line(32));
    expect(await follow('ndjson')).toMatchObject({
      imported: 1,
      findings: [
        { kind: 'late', rows: ['32'] },
        { kind: 'modified', rows: ['31'] },
      ],
    });
  });

  const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
  test('of which many rows are there again does not read all rows for each of them, and refuses two of one id', async () => {
    const own = (row: number) => ({ id: `r${row}` });
    const source = fileSource('ndjson', path, null);
    const asked: string[] = [];
    const open: typeof source.open = async (opening) => {
      const view = await source.open(opening);
      const assertOnce = view.assertOnce!.bind(view);
      view.assertOnce = (row) => {
        asked.push(row.id);
        return assertOnce(row);
      };
      return view;
    };
    const again = () => follow('ndjson', null, { source: { ...source, open } });
    for (const last of [40, 30]) {
      writeFileSync(path, lines(1, last, own));
      await follow('ndjson');
    }
    writeFileSync(path, lines(1, 40, own) + line(35, own(35)));
    expect(await messageOf(again())).toMatch(/:41: expected each id once, found "r35", as in line 35 /);
    expect(asked).toEqual(['r35']);
    writeFileSync(path, lines(1, 29, own) + lines(31, 32, own) + line(31, own(31)) + line(30, own(30)));
    expect(await messageOf(again())).toMatch(/:32: expected each id once, found "r31", as in line 30 /);
    writeFileSync(path, lines(1, 40, own));
    asked.splice(0);
    expect(await again()).toMatchObject({ imported: 0, findings: [{ kind: 'modified' }] });
    expect(asked).toEqual([]);
  });

  test.for<[string, number[], number[], { kind: string; rows: string[] }[], string[]]>([
    ['the last row first', upTo(10), [10, ...upTo(9)], [], []],
    ['the newest rows first', upTo(10), upTo(10).reverse(), [], []],
    ['the newest of many rows first', upTo(5000), upTo(5000).reverse(), [], []],
    ['an old row last', upTo(5000), [...upTo(499), ...upTo(5000).slice(500), 500], [], []],
    [
      'an old row at another old place',
      upTo(9000),
      [...upTo(499), ...upTo(7000).slice(500), 500, ...upTo(9000).slice(7000)],
      [],
      [],
    ],
    ['the newest rows first, and a new one last', upTo(10), [...upTo(10).reverse(), 11], [], ['r11']],
    [
      'the newest rows first, new ones too',
      upTo(10),
      upTo(11).reverse(),
      [{ kind: 'late', rows: ['r11'] }],
      ['r11', '!source-late'],
    ],
    [
      'another order, and lacks the last row',
      upTo(10),
      [9, ...upTo(8)],
      [{ kind: 'deleted', rows: ['r10'] }],
      ['!source-changed'],
    ],
  ])(
    'that was written anew with %s has the same rows',
    { timeout: 60_000 },
    async ([, first, second, findings, added]) => {
      const write = (rows: number[]) =>
        writeFileSync(path, rows.map((row) => line(row, { id: `r${row}` })).join(''));
      // Before the slot of the last row ends.
      const now = timeOf(first.length + 3);
      write(first);
      await follow('ndjson', null, { now });
      const before = await rowsIn(ledger);
      write(second);
      const { findings: found } = await follow('ndjson', null, { now, full: first.length > 5000 });
      expect(found.map(({ kind, rows }) => ({ kind, rows }))).toEqual(findings);
      // Whatever the next imports compare, there is no other news.
      for (const full of [false, true, false])
        expect(await follow('ndjson', null, { now, full })).toMatchObject({ imported: 0, findings: [] });
      expect((await rowsIn(ledger)).slice(before.length)).toEqual(added);
      // And it is followed further.
      write([...second, first.length + 2]);
      expect(await follow('ndjson', null, { now })).toMatchObject({ imported: 1, findings: [] });
    },
  );

  test('whose rows changed and moved is reported, and a row that moved is compared at its new place', async () => {
    const write = (rows: [number, object?][]) =>
      writeFileSync(path, rows.map(([row, more]) => line(row, { id: `r${row}`, ...more })).join(''));
    write(upTo(5).map((row) => [row]));
    await follow('ndjson');
    write([[1], [3], [4], [5], [2, { agent: 'JADE' }]]);
    expect((await follow('ndjson')).findings).toMatchObject([{ kind: 'modified', rows: ['r2'] }]);
    write([[1], [3], [4], [5], [2, { agent: 'EVE' }]]);
    expect((await follow('ndjson')).findings).toMatchObject([{ kind: 'modified', rows: ['r2'] }]);
    write([[1], [3], [4], [5]]);
    expect((await follow('ndjson')).findings).toMatchObject([{ kind: 'deleted', rows: ['r2'] }]);
    expect(await follow('ndjson', null, { full: true })).toMatchObject({ imported: 0, findings: [] });
  });

  test('that was sorted anew and has other content in more than 1,000 rows stops the import', async () => {
    const write = (rows: number[], more: object = {}) =>
      writeFileSync(path, rows.map((row) => line(row, { id: `r${row}`, ...more })).join(''));
    write(upTo(1200));
    await follow('ndjson');
    write(upTo(1200).reverse(), { agent: 'JADE' });
    expect(await messageOf(follow('ndjson'))).toContain(
      'the file was truncated, rewritten or replaced, or it has another mapping',
    );
    expect(await rowsIn(ledger)).toHaveLength(1200);
  });

  test('to which a row is appended whose id an imported row has stops the import', async () => {
    const own = (row: number) => ({ id: `r${row}` });
    writeFileSync(path, lines(1, 5000, own));
    await follow('ndjson');
    appendFileSync(path, line(5001, { id: 'r3' }));
    expect(await messageOf(follow('ndjson'))).toContain(
      'rows:5001: expected each id once, found "r3", as in line 3',
    );
    expect(await rowsIn(ledger)).toHaveLength(5000);
  });

  test('may have the type constructor', async () => {
    writeFileSync(path, line(1, { type: 'constructor' }));
    expect(await follow('ndjson')).toMatchObject({ imported: 1, findings: [] });
  });

  test.for([
    ['a line that is no JSON', '{"type"\n', 'rows:4: expected a whole JSON value on each line'],
    [
      'a line without a time',
      '{"type":"a","agent":"b","data":{}}\n',
      'row 4: expected timestamp to be a time, found nothing',
    ],
    [
      'a type that is a member of each object',
      line(4, { type: 'toString' }),
      'row 4: expected type to be a snake_case token, found "toString"',
    ],
    ['Latin-1', Buffer.from(line(4, { agent: 'Müller' }), 'latin1'), 'rows:4: expected UTF-8'],
    ['a line of 10 MB', line(4, { agent: 'x'.repeat(10e6) }), 'rows:4: expected at most 1 MiB in one line'],
    [
      'an array of 10 MB',
      `[${line(4, { agent: 'x'.repeat(10e6) })}]`,
      'rows:4: expected an object on each line, as jq',
    ],
  ] as const)('stops at %s, after the lines before it', async ([, content, message]) => {
    writeFileSync(path, lines(1, 3));
    appendFileSync(path, content);
    expect(await messageOf(follow('ndjson'))).toContain(message);
    expect(await rowsIn(ledger)).toEqual(content.length > 1e6 ? [] : ['1', '2', '3']);
    writeFileSync(path, lines(1, 5));
    expect(await follow('ndjson')).toMatchObject({ findings: [] });
    expect(await rowsIn(ledger)).toEqual(ids(1, 5));
  });
});

describe('a CSV file', () => {
  const mapping = parseMapping(
    JSON.stringify({
      decimal: ',',
      id: 'Nr',
      timestamp: 'Zeit',
      type: { column: 'Art', values: { W: 'mii_reading', E: null } },
      agent: { column: 'Wer' },
      data: { mii_reading: { mii: 'Wert', note: 'Text' } },
    }),
    'mapping.json',
  );
  const row = (n: number, text = '') =>
    `${n};${timeOf(n)};${n % 5 === 0 ? 'E' : 'W'};"Ä";${String(n / 20_000).replace('.', ',')};"${text}"\r\n`;
  const rows = (first: number, last: number) =>
    ids(first, last)
      .map((n) => row(Number(n), Number(n) % 7 === 0 ? 'zwei\r\nZeilen ""hier""' : ''))
      .join('');
  const HEADER = 'Nr;Zeit;Art;Wer;Wert;Text\r\n';

  test('is followed by a mapping that leaves rows out, with cells of several lines', async () => {
    writeFileSync(path, `\ufeff${HEADER}${rows(1, 6000)}`);
    expect(await follow('csv', mapping, { now: timeOf(6011) })).toMatchObject({
      imported: 4800,
      findings: [],
    });
    const next = row(6001, 'eine\r\nzweite');
    appendFileSync(path, next.slice(0, next.indexOf('zweite')));
    expect(await follow('csv', mapping, { now: timeOf(6011) })).toMatchObject({
      imported: 0,
      findings: [{ kind: 'unread' }],
    });
    // Rows without content, as spreadsheets leave them, do not count.
    appendFileSync(
      path,
      `${next.slice(next.indexOf('zweite'))};;;;;\r\n;;"";; ;\r\n${rows(6002, 6010)};;;;;\r\n`,
    );
    expect(await follow('csv', mapping, { now: timeOf(6011) })).toMatchObject({ imported: 8, findings: [] });
    expect(await follow('csv', mapping, { full: true })).toMatchObject({ imported: 0, findings: [] });
    expect(await rowsIn(ledger)).toEqual(ids(1, 6010).filter((id) => Number(id) % 5 !== 0));
    const { events } = await verifiedLedger(ledger);
    expect(events[5]).toMatchObject({ agent: 'Ä', data: { mii: 0.00035, note: 'zwei\r\nZeilen "hier"' } });
  });

  test('with a row without an id among others with one is refused there, as its number would be another one once a row before it is gone', async () => {
    const burn = (row: number, id = `u${row}`) => `${id},${timeOf(row)},mic_burn,A,${row},fees\n`;
    const header = 'id,timestamp,type,agent,data.amount,data.reason\n';
    writeFileSync(path, `${header}${burn(1)}${burn(2)}${burn(3, '')}${burn(4)}`);
    const refused = /:4, row 3, column id: expected an id of 1 to 200 characters, found 0/;
    for (const full of [false, true])
      await expect(follow('csv', null, { now: timeOf(5), full })).rejects.toThrow(refused);
    expect(await rowsIn(ledger)).toEqual(['u1', 'u2']);
    // Also where its number is the id of a row.
    writeFileSync(path, `${header}${burn(1)}${burn(2)}${burn(3, '')}${burn(4, '3')}`);
    await expect(follow('csv', null, { now: timeOf(5) })).rejects.toThrow(refused);
    writeFileSync(path, `${header}${burn(1)}${burn(2)}${burn(3)}${burn(4)}`);
    expect(await follow('csv', null, { now: timeOf(5) })).toMatchObject({ imported: 2, findings: [] });
  });

  test('with rows of totals, which have no id and are left out, is compared as a whole', async () => {
    const costs = parseMapping(
      JSON.stringify({
        id: 'Nr',
        timestamp: { column: 'Zeit', default: null },
        type: { constant: 'mic_burn' },
        agent: { constant: 'A' },
        data: { mic_burn: { amount: 'Betrag', reason: { constant: 'costs' } } },
      }),
      'mapping.json',
    );
    const cost = (id: number) => `${id},${timeOf(id)},1\n`;
    writeFileSync(path, `Nr,Zeit,Betrag\n${cost(1)}${cost(2)},,2\n${cost(3)}`);
    const now = timeOf(6);
    expect(await follow('csv', costs, { now })).toMatchObject({ imported: 3, findings: [] });
    appendFileSync(path, `,,3\n${cost(4)}${cost(5)}`);
    expect(await follow('csv', costs, { now, full: true })).toMatchObject({ imported: 2, findings: [] });
    expect(await rowsIn(ledger)).toEqual(ids(1, 5));
    // Whatever the ids of others are, and where a total is the last row.
    appendFileSync(path, `line 4,${timeOf(5)},1\n,,4\n`);
    expect(await follow('csv', costs, { now, full: true })).toMatchObject({ imported: 1, findings: [] });
    appendFileSync(path, cost(6));
    expect(await follow('csv', costs, { now: timeOf(7) })).toMatchObject({ imported: 1, findings: [] });
    expect(await follow('csv', costs, { now, full: true })).toMatchObject({ imported: 0, findings: [] });
    expect(await rowsIn(ledger)).toEqual([...ids(1, 5), 'line 4', '6']);
  });

  test('in which only the last state of each case is an event is compared as a whole, whatever rows have its id', async () => {
    const cases = parseMapping(
      JSON.stringify({
        id: 'case',
        timestamp: 'at',
        type: { column: 'state', values: { closed: 'mic_burn', open: null } },
        agent: { constant: 'A' },
        data: { mic_burn: { amount: 'cost', reason: { constant: 'costs' } } },
      }),
      'mapping.json',
    );
    const state = (id: number, at: number, is: string) => `C-${id},${timeOf(at)},${is},1\n`;
    writeFileSync(
      path,
      `case,at,state,cost\n${state(1, 1, 'open')}${state(1, 2, 'closed')}${state(2, 3, 'open')}`,
    );
    const run = (full = false) => follow('csv', cases, { now: timeOf(9), full });
    expect(await run()).toMatchObject({ imported: 1, findings: [] });
    appendFileSync(path, `${state(1, 4, 'open')}${state(2, 5, 'closed')}`);
    expect(await run(true)).toMatchObject({ imported: 1, findings: [] });
    expect(await run(true)).toMatchObject({ imported: 0, findings: [] });
    writeFileSync(path, readFileSync(path, 'utf8').replace(state(2, 5, 'closed'), state(2, 5, 'open')));
    expect(await run()).toMatchObject({ findings: [{ kind: 'modified', rows: ['C-2'] }] });
    expect(await run()).toMatchObject({ imported: 0, findings: [] });
    // Closed again, at another cost: the row is still the one that was imported.
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(state(2, 5, 'open'), state(2, 5, 'closed').replace(',1\n', ',6\n')),
    );
    expect(await run()).toMatchObject({ imported: 0, findings: [{ kind: 'modified', rows: ['C-2'] }] });
    expect(await run(true)).toMatchObject({ imported: 0, findings: [] });
    expect(await rowsIn(ledger)).toEqual(['C-1', 'C-2', '!source-changed', '!source-changed']);
  });

  test('is another table where the mapping leaves out more than a thousand imported rows', async () => {
    const leavingOut = (mint: 'mii_reading' | null) =>
      parseMapping(
        JSON.stringify({
          timestamp: 'at',
          type: { column: 'kind', values: { read: 'mii_reading', mint } },
          agent: { constant: 'A' },
          data: { mii_reading: { mii: { constant: 0.9 } } },
        }),
        'mapping.json',
      );
    const rows = Array.from({ length: 3000 }, (_, at) => `${timeOf(at)},${at % 2 ? 'read' : 'mint'}\n`);
    writeFileSync(path, `at,kind\n${rows.join('')}`);
    const now = timeOf(3001);
    expect(await follow('csv', leavingOut('mii_reading'), { now })).toMatchObject({ imported: 3000 });
    await expect(follow('csv', leavingOut(null), { now })).rejects.toThrow(
      /1001 of them changed .*another mapping/,
    );
    expect(await follow('csv', leavingOut('mii_reading'), { now })).toMatchObject({
      imported: 0,
      findings: [],
    });
  });

  test.each([4])('is followed below lines of titles, with its header in line %i', async (header) => {
    const below = parseMapping(
      JSON.stringify({
        file: { header },
        timestamp: 'Zeit',
        type: { constant: 'mii_reading' },
        agent: { constant: 'A' },
        data: { mii_reading: { mii: 'Wert' } },
      }),
      'mapping.json',
    );
    // Quotes in titles mean nothing, and a title may be empty.
    const titles = ['Readings of 5" pipes,,\n', '\n', '"Second half\n'].slice(0, header - 1).join('');
    writeFileSync(path, `\ufeff${titles}Zeit,Wert\n${timeOf(1)},0.9\n`);
    expect(await follow('csv', below, { now: timeOf(3) })).toMatchObject({ imported: 1, findings: [] });
    appendFileSync(path, `${timeOf(2)},0.8\n`);
    expect(await follow('csv', below, { now: timeOf(3) })).toMatchObject({ imported: 1, findings: [] });
    expect(await rowsIn(ledger)).toEqual(ids(1, 2));
  });

  test('in Windows-1252 to which a row in UTF-8 is appended stops there, before its letters are others for good', async () => {
    const western = (encoding: string) =>
      parseMapping(
        JSON.stringify({
          file: { encoding },
          timestamp: 'Zeit',
          type: { constant: 'note' },
          agent: 'Wer',
          data: { note: {} },
        }),
        'mapping.json',
      );
    const row = (n: number, who: string) => `${timeOf(n)},${who}\n`;
    const now = { now: timeOf(9) };
    // As bytes, some of these could be UTF-8 as well.
    const before = `Zeit,Wer\n${row(1, 'Müller')}${row(2, 'NESCAFÉ®')}${row(3, 'Ä')}${row(4, 'Ã')}`;
    writeFileSync(path, before, 'latin1');
    expect(await follow('csv', western('windows-1252'), now)).toMatchObject({ imported: 4 });
    appendFileSync(path, row(5, 'Meier') + row(6, 'Jürgen'));
    expect(await messageOf(follow('csv', western('windows-1252'), now))).toBe(
      `csv+file:${path}:7: expected windows-1252, as the mapping file says. If the whole file is in UTF-8 now, name that there, found UTF-8: "${row(6, 'Jürgen').trim()}" (ledger_corrupt)`,
    );
    expect((await verifiedLedger(ledger)).events.map(({ agent }) => agent)).toEqual([
      'Müller',
      'NESCAFÉ®',
      'Ä',
      'Ã',
      'Meier',
    ]);
    // Saved in one encoding, the rows are the same.
    writeFileSync(path, before + row(5, 'Meier') + row(6, 'Jürgen'));
    expect(await follow('csv', western('utf-8'), now)).toMatchObject({ imported: 1, findings: [] });
  });

  test('that is followed with another mapping is compared as a whole', async () => {
    const by = (agent: string) =>
      parseMapping(
        JSON.stringify({
          timestamp: 'Zeit',
          type: { constant: 'note' },
          agent: { constant: agent },
          data: { note: {} },
        }),
        'mapping.json',
      );
    writeFileSync(path, `Zeit\n${timeOf(1)}\n${timeOf(2)}\n`);
    const how = { now: timeOf(4) };
    await follow('csv', by('A'), how);
    expect(await follow('csv', by('A'), how)).toMatchObject({ imported: 0, findings: [] });
    appendFileSync(path, `${timeOf(3)}\n`);
    expect(await follow('csv', by('B'), how)).toMatchObject({
      imported: 1,
      findings: [{ kind: 'modified', rows: ['1', '2'] }],
    });
  });

  test('without a header that fits, in UTF-16 or of another kind is refused', async () => {
    writeFileSync(path, 'Nr;Zeit\n1;2\n');
    expect(await messageOf(follow('csv', mapping))).toContain(
      'expected the column "Art", which the mapping file names',
    );
    writeFileSync(path, Buffer.from(`\ufeff${HEADER}`, 'utf16le'));
    expect(await messageOf(follow('csv', mapping))).toContain('found UTF-16');
    writeFileSync(path, gzipSync(HEADER));
    expect(await messageOf(follow('csv', mapping))).toContain('expected text, found a gzip file');
    writeFileSync(path, '');
    expect(await messageOf(follow('csv', mapping))).toContain(
      'a line with the names of columns, found none that ends',
    );
  });
});

describe('a first import', () => {
  const HEAD = 'id,timestamp,type,agent\n';
  const row = (id: string, day: string) => `${id},2026-${day}T09:00:00Z,note,ATLAS\n`;

  test.each([
    ['year by year, newest first in each', ['02-09', '02-01', '03-09', '03-01', '04-09', '04-01'], true],
    [
      'one of many late',
      ['01-01', '02-01', '02-02', '02-03', '02-04', '02-05', '02-06', '02-07', '02-08', '01-02'],
      false,
    ],
  ])(
    'of rows %s: refused with the remedy where others would lose their times',
    async (_, days, isRefused) => {
      const text = days.map((day, index) => row(`r${index}`, day));
      writeFileSync(path, HEAD + text.join(''));
      const now = { now: '2026-06-01T00:00:00Z' };
      const message = await messageOf(follow('csv', null, now));
      if (!isRefused) {
        expect(message).toBe('imported');
        return;
      }
      expect(message).toMatch(
        /row r\d: expected rows whose times ascend, .*: sort the file by time once, and append/,
      );
      expect(await rowsIn(ledger)).toEqual([]);
      // The remedy.
      writeFileSync(
        path,
        HEAD +
          days
            .toSorted()
            .map((day, index) => row(`r${index}`, day))
            .join(''),
      );
      expect(await follow('csv', null, now)).toMatchObject({ imported: days.length, findings: [] });
      const { events } = await verifiedLedger(ledger);
      expect(events.map(({ timestamp }) => timestamp.slice(5, 10))).toEqual(days.toSorted());
    },
  );

  test('counts no rows that the mapping leaves out as rows in order', async () => {
    const closed = parseMapping(
      JSON.stringify({
        timestamp: 'timestamp',
        type: { column: 'type', values: { mii_reading: 'mii_reading', open: null } },
        agent: 'agent',
        data: { mii_reading: { mii: { constant: 0.9 } } },
      }),
      'mapping.json',
    );
    const descending = Array.from({ length: 20 }, (_, at) =>
      [`${timeOf(20_000 - at * 5000)},mii_reading,A\n`, `${timeOf(1)},open,A\n`.repeat(12)].join(''),
    );
    writeFileSync(path, `timestamp,type,agent\n${descending.join('')}`);
    const now = { now: timeOf(20_001) };
    expect(await messageOf(follow('csv', closed, now))).toMatch(
      /expected rows whose times ascend.*so are \d+ of 20 rows/,
    );
  });

  test('of newer rows before the history that was added to them is refused, however many they are', async () => {
    writeFileSync(path, lines(6001, 12_000) + lines(1, 6000));
    const message = await messageOf(follow('ndjson'));
    expect(message).toContain(':6001, row 6001: expected rows whose times ascend');
    expect(message).toContain(`found ${timeOf(1)} after ${timeOf(12_000)}; so are 6000 of 12000 rows`);
    expect(await rowsIn(ledger)).toEqual([]);
    writeFileSync(path, lines(1, 12_000));
    expect(await follow('ndjson')).toMatchObject({ imported: 12_000, findings: [] });
  });

  test.each([
    [
      '2026-03-05T00:00:00Z',
      /row r1: expected rows after 2026-03-05T00:00:00Z, when the ledger begins: .*--from/,
    ],
    ['2026-03-01T00:00:00Z', /^imported$/],
  ])('after a genesis at %s', async (timestamp, expected) => {
    const options = { create: true, verifiers: [SIGNER.verifier], waitMs: 0, holder: 'a test' };
    const now = () => Date.parse(timestamp);
    const genesis = { type: 'genesis', agent: 'LEDGER', data: { allocation: '0', multipliers: {} } };
    {
      using writer = await LedgerWriter.open(ledger, { ...options, now });
      await writer.append([{ ...genesis, timestamp }]);
    }
    writeFileSync(path, HEAD + row('r1', '03-02') + row('r2', '03-03') + row('r3', '03-05'));
    expect(await messageOf(follow('csv', null, { now: '2026-06-01T00:00:00Z' }))).toMatch(expected);
    const { events } = await verifiedLedger(ledger);
    const rows = events.slice(1).map((event) => event.timestamp.slice(5, 10));
    expect(rows).toEqual(timestamp.includes('03-05') ? [] : ['03-02', '03-03', '03-05']);
  });

  test('with a mistyped year is refused at its row, and not for the order of the others', async () => {
    writeFileSync(path, HEAD + row('r1', '02-01') + row('r2', '02-02').replace('2026', '2062'));
    appendFileSync(path, row('r3', '02-03'));
    expect(await messageOf(follow('csv', null, { now: '2026-06-01T00:00:00Z' }))).toContain(
      'row r2: expected timestamp to be at most 5 minutes after the clock',
    );
  });
});

describe('the last row', () => {
  const HEAD = 'id,timestamp,type,agent,data.text\n';
  const csv = (n: number, text: string, end = '\n') => `${n},${timeOf(n)},note,ATLAS,${text}${end}`;
  const now = '2026-02-01T12:00:00Z';
  /** Imports as if the file had changed so many minutes ago. */
  const changed = (minutes: number) => {
    const at = Date.parse(now) / 1000 - minutes * 60;
    utimesSync(path, at, at);
    return follow('csv', null, { now });
  };
  const waits = (line: number, reason: string) => ({ unread: { line, reason } });

  test.each([
    ['no line end', csv(2, 'two', ''), 'no line end', ''],
    ['a quoted cell that goes on', csv(2, '"two\n', ''), 'a quote that is not closed', 'more"'],
    ['a quoted cell that seems to end', csv(2, '"two\nmore"', ''), 'no line end', ''],
    ['the first of two quotes', csv(2, '"two\nmore"', ''), 'no line end', '" is"'],
  ])('waits with %s, is reported with its line, and its slot stays open', async (_, tail, reason, more) => {
    writeFileSync(path, HEAD + csv(1, 'one') + tail);
    const waiting = await changed(1);
    expect(waiting).toMatchObject({ imported: 1, findings: [{ kind: 'unread' }], ...waits(3, reason) });
    expect(waiting.findings[0]!.message).toContain(
      `line 3 of the source has ${reason}, since 2026-02-01T11:59:00Z`,
    );
    expect(waiting.sealed).toEqual([]);
    appendFileSync(path, `${more}\n${csv(3, 'three')}`);
    expect(await changed(0)).toMatchObject({ imported: 2, findings: [], unread: null });
    expect(await rowsIn(ledger)).toEqual(['1', '2', '3']);
  });

  test('without a line end is taken when the file has not changed for ten minutes; what follows is taken later', async () => {
    writeFileSync(path, HEAD + csv(1, 'one') + csv(2, 'two', ''));
    expect(await changed(9)).toMatchObject({ imported: 1, ...waits(3, 'no line end') });
    expect(await changed(10)).toMatchObject({ imported: 1, findings: [], unread: null });
    appendFileSync(path, '\n3,2026-02-01T11:59:00Z,note,ATLAS,three\n');
    expect(await changed(0)).toMatchObject({ imported: 1, findings: [], unread: null });
    expect(await rowsIn(ledger)).toEqual(['1', '2', '3']);
  });

  test.each([
    ['the last line end', (rows: string) => rows.trimEnd()],
    ['LF, with CR alone', (rows: string) => rows.replaceAll('\n', '\r')],
  ])('that was imported and is exported anew without %s is not deleted', async (_, anew) => {
    const now = timeOf(5);
    const header = 'id,timestamp,type,agent\n';
    const row = (n: number) => `r${n},${timeOf(n)},heartbeat,A\n`;
    const rows = header + row(1) + row(2) + row(3);
    writeFileSync(path, rows);
    expect(await follow('csv', null, { now })).toMatchObject({ imported: 3 });
    writeFileSync(path, anew(rows));
    expect(await follow('csv', null, { now })).toMatchObject({ imported: 0, findings: [{ kind: 'unread' }] });
    writeFileSync(path, anew(rows + row(4)));
    expect(await follow('csv', null, { now })).toMatchObject({ imported: 0, findings: [{ kind: 'unread' }] });
    utimesSync(path, 1, 1);
    expect(await follow('csv', null, { now })).toMatchObject({ imported: 1, findings: [] });
    // The last one was deleted, and half of another row is there.
    writeFileSync(path, `${rows}r5,2026`);
    expect(await follow('csv', null, { now })).toMatchObject({
      findings: [{ kind: 'deleted', rows: ['r4'] }, {}],
    });
  });

  test('that goes on after it was taken without a line end is reported as modified, and what follows is a row of its own', async () => {
    writeFileSync(path, HEAD + csv(1, 'one') + csv(2, 'tw', ''));
    expect(await changed(10)).toMatchObject({ imported: 2, findings: [] });
    appendFileSync(path, 'o\n3,2026-02-01T11:59:00Z,note,ATLAS,three\n');
    expect(await changed(0)).toMatchObject({ imported: 1, findings: [{ kind: 'modified', rows: ['2'] }] });
    expect(await changed(0)).toMatchObject({ imported: 0, findings: [] });
    expect(await rowsIn(ledger)).toEqual(['1', '2', '3', '!source-changed']);
  });
});
