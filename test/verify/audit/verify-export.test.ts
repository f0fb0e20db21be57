import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { LogEntries } from '../../../pipeline/verify/audit/log-entries.ts';
import { readExport } from '../../../pipeline/verify/audit/read-export.ts';
import { type ExportOptions, verifyExport } from '../../../pipeline/verify/audit/verify-export.ts';
import { FolderOrigin } from '../../../pipeline/verify/folder-origin.ts';
import { EXPORT_TABLE } from '../../../pipeline/verify/rows/export-table.ts';
import { parseCells } from '../../../pipeline/verify/rows/history-table.ts';
import { useFolder } from '../../setups/use-folder.ts';
import { EVENTS, events, fileOf, publishSmallLog, rowsOf, VERIFIERS } from './small-log.ts';

const FORMS = ['csv', 'json', 'ndjson'] as const;
const UNSAID: ExportOptions = { from: undefined, to: undefined, wanted: null };
/** Of the first row of a file. */
const FIRST_LINE = { csv: 2, json: 2, ndjson: 1 };

const folder = useFolder();
let log: LogEntries;

beforeAll(async () => {
  await publishSmallLog(join(folder, 'ledger'), join(folder, 'out'));
  log = await LogEntries.open(await FolderOrigin.at(join(folder, 'out'), true), VERIFIERS);
});

/** In chunks of a size, which may be cut anywhere. */
async function* chunksOf(text: string, bytes: number): AsyncGenerator<Uint8Array> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

async function verify(text: string, options: Partial<ExportOptions> = {}, chunk = 5000) {
  return verifyExport((await readExport(chunksOf(text, chunk)))!, log, { ...UNSAID, ...options });
}

/** Kinds of faults with their lines, without those that name the same. */
async function faultsOf(text: string, options: Partial<ExportOptions> = {}) {
  const { faults } = await verify(text, options);
  return faults.map(({ line, kind }) => `${line} ${kind}`);
}

describe.each(FORMS)('an export as %s', (form) => {
  const rows = rowsOf(form);
  const lineOf = (row: number) => FIRST_LINE[form] + row;

  test('of all events is whole, however its bytes come', async () => {
    for (const chunk of [7, 997, 1 << 20]) {
      const { faults, ...about } = await verify(fileOf(form, rows), {}, chunk);
      expect(faults).toEqual([]);
      expect(about).toEqual({
        rows: EVENTS,
        entries: EVENTS,
        period: { from: events[0]!.timestamp, to: events.at(-1)!.timestamp },
        logEndsAt: null,
        isAbandoned: false,
      });
    }
  });

  test('of a part is whole with the period that was asked for, and by itself', async () => {
    const [from, to] = [events[300]!.timestamp, events[599]!.timestamp];
    const part = rowsOf(form, events.slice(300, 600));
    const asked = await verify(fileOf(form, part), { from, to });
    expect(asked).toMatchObject({ faults: [], entries: 300, period: { from, to } });
    expect(await verify(fileOf(form, part))).toEqual(asked);
  });

  test('that ends in the midst of events of one moment misses the others of it', async () => {
    const part = rowsOf(form, events.slice(302, 600));
    const { faults } = await verify(fileOf(form, part));
    expect(faults).toMatchObject([
      {
        kind: 'missing',
        line: lineOf(298),
        message: expect.stringMatching(/^2 rows of the log, event 300, .* to event 301, /),
      },
    ]);
  });

  test('with line ends of Windows says the same', async () => {
    expect((await verify(fileOf(form, rows).replaceAll('\n', '\r\n'))).faults).toEqual([]);
  });

  test('without its first and last rows is found out where its period is said', async () => {
    const rest = rows.slice(6, -6);
    expect((await verify(fileOf(form, rest))).faults).toEqual([]);
    const { faults } = await verify(fileOf(form, rest), { from: null, to: '2030-01-01T00:00:00Z' });
    expect(faults.map(({ kind }) => kind)).toEqual(['missing', 'missing']);
    expect(faults[0]!.line).toBe(FIRST_LINE[form]);
    expect(faults.map(({ message }) => message.split(' ')[0])).toEqual(['6', '6']);
  });

  test('with a row added, repeated or put elsewhere is found out', async () => {
    const stranger = rowsOf(form, [{ ...events[350]!, agent: 'MALLORY' }])[0]!;
    expect(await faultsOf(fileOf(form, rows.toSpliced(349, 0, stranger)))).toEqual([`${lineOf(349)} added`]);
    const twice = rows.toSpliced(20, 0, rows[10]!);
    expect(await faultsOf(fileOf(form, twice))).toEqual([`${lineOf(20)} added`]);
    const swapped = rows.with(30, rows[31]!).with(31, rows[30]!);
    expect(await faultsOf(fileOf(form, swapped))).toEqual([`${lineOf(30)} added`, `${lineOf(32)} missing`]);
    const first = rows.with(0, rows[1]!).with(1, rows[0]!);
    expect(await faultsOf(fileOf(form, first))).toEqual([`${lineOf(1)} added`]);
    const late = rows.toSpliced(5, 1).toSpliced(500, 0, rows[5]!);
    expect(await faultsOf(fileOf(form, late))).toEqual([`${lineOf(5)} missing`, `${lineOf(500)} added`]);
    const early = rows.toSpliced(500, 1).toSpliced(5, 0, rows[500]!);
    expect(await faultsOf(fileOf(form, early))).toEqual([`${lineOf(5)} added`, `${lineOf(501)} missing`]);
  });

  test('of a filter is compared with what the filter lets through', async () => {
    const wanted: ExportOptions['wanted'] = (event) => event.type === 'mic_mint';
    const mints = events.filter(({ type }) => type === 'mic_mint');
    const some = rowsOf(form, mints);
    const { faults, entries } = await verify(fileOf(form, some), { wanted, from: null });
    expect([faults, entries]).toEqual([[], mints.length]);
    expect(await faultsOf(fileOf(form, some.toSpliced(9, 1)), { wanted })).toEqual([`${lineOf(9)} missing`]);
    const other = rowsOf(
      form,
      events.filter(({ seq }) => seq === 350),
    )[0]!;
    const at = mints.filter(({ seq }) => seq > 350).length;
    expect(await faultsOf(fileOf(form, some.toSpliced(at, 0, other)), { wanted })).toEqual([
      `${lineOf(at)} added`,
    ]);
  });

  test('that has nothing to do with the log is given up', async () => {
    const others = rowsOf(
      form,
      events.map((event) => ({ ...event, salt: 'A'.repeat(22) })),
    );
    const { faults, isAbandoned } = await verify(fileOf(form, others));
    expect([faults.length, isAbandoned]).toEqual([20, true]);
    const more = await verify(fileOf(form, [...rows, ...others, ...others]));
    expect([more.faults.length, more.isAbandoned]).toEqual([1000, true]);
  });

  test('oldest first is given up or blamed row by row, never taken for whole', async () => {
    const { faults } = await verify(fileOf(form, rows.toReversed()));
    expect(faults.length).toBeGreaterThan(500);
  });
});

test('an export of a period beyond the end of the log is whole as far as the log goes, and that is said', async () => {
  const rows = fileOf('csv', rowsOf('csv'));
  const [from, end] = [events[0]!.timestamp, events.at(-1)!.timestamp];
  expect(await verify(rows, { from, to: '9999-12-31T23:59:59Z' })).toMatchObject({
    faults: [],
    logEndsAt: end,
  });
  expect(await verify(rows, { from, to: end })).toMatchObject({ faults: [], logEndsAt: null });
});

test('an export without rows is whole where the log has nothing of the period', async () => {
  const before = { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' };
  for (const form of ['csv', 'json'] as const) {
    expect((await verify(fileOf(form, []), before)).faults).toEqual([]);
    const { faults } = await verify(fileOf(form, []), { from: null, to: events[99]!.timestamp });
    expect(faults).toMatchObject([
      { kind: 'missing', message: expect.stringMatching(/^102 rows of the log, event 0, .* to event 101, /) },
    ]);
  }
});

describe('a file', () => {
  test.each(['', 'hello\n', 'timestamp,event_type\n', '[]\n', '{"from":null}\n', '{"timestamp":1}\n'])(
    'that is no export is none: %j',
    async (text) => {
      expect(await readExport(chunksOf(text, 10))).toBeNull();
    },
  );

  test('as CSV may have quotes around every cell of its header', async () => {
    const [header, ...rest] = fileOf('csv', rowsOf('csv')).split('\n');
    const text = [header!.replace(/[^,]+/g, '"$&"'), ...rest].join('\n');
    expect(await faultsOf(text)).toEqual([]);
  });

  test('as JSON that was cut off, or does not count right, is found out', async () => {
    const rows = rowsOf('json');
    const text = fileOf('json', rows);
    expect(await verify(text.slice(0, text.lastIndexOf(']')))).toMatchObject({
      faults: [{ kind: 'unreadable', message: expect.stringContaining('cut off') }],
    });
    const rest = Buffer.from(`${text.split('\n').slice(0, 3).join('\n')}\n`);
    for (const [more, line, words] of [
      ['', 3, 'the file is cut off here: "complete" is missing'],
      ['\xff\n', 4, 'the file is not UTF-8 from here on: decompress it, or save it as UTF-8'],
    ] as const) {
      const file = await readExport(Readable.from([rest, Buffer.from(more, 'latin1')]));
      const { faults } = await verifyExport(file!, log, UNSAID);
      expect(faults).toContainEqual({ kind: 'unreadable', line, message: words });
    }
    expect(await verify(text.replace('"count":700', '"count":699'))).toMatchObject({
      faults: [{ kind: 'unreadable', message: expect.stringContaining('699') }],
    });
    expect((await verify(`${text}{}\n`)).faults).toHaveLength(1);
    expect(await faultsOf(text.replace('"},\n', '"}\n'))).toEqual(['2 unreadable']);
    expect(await faultsOf(text.replace('"}\n]', '"},\n]'))).toEqual([`${EVENTS + 1} unreadable`]);
  });

  test('that ends within a row, is not UTF-8, or never ends a line is found out', async () => {
    const text = fileOf('csv', rowsOf('csv'));
    expect(await faultsOf(text.slice(0, -30))).toEqual(['701 differs']);
    expect(await faultsOf(text.slice(0, -90))).toEqual(['701 unreadable', '702 missing']);
    const chunks = [Buffer.from(text), Buffer.of(0xff, 0x0a)];
    const file = await readExport(Readable.from(chunks));
    const { faults } = await verifyExport(file!, log, UNSAID);
    expect(faults).toMatchObject([{ line: 702, kind: 'unreadable' }]);
    expect(await faultsOf(`${text}${'x'.repeat(200_000)}`)).toEqual(['702 unreadable']);
  });

  test('that comes as one piece is refused for what is wrong with it, and not for its first line', async () => {
    const text = fileOf('csv', rowsOf('csv').slice(0, 5));
    const notText = [Buffer.from(text), Buffer.of(0xff, 0x0a), Buffer.from('more\n')];
    for (const chunks of [[Buffer.concat(notText)], notText]) {
      const file = await readExport(Readable.from(chunks));
      const { faults } = await verifyExport(file!, log, UNSAID);
      expect(faults.at(-1)).toMatchObject({
        line: 7,
        message: 'the file is not UTF-8 from here on: decompress it, or save it as UTF-8',
      });
    }
    await expect(readExport(Readable.from([Buffer.of(0xff, 0x0a)]), 'a.csv')).rejects.toMatchObject({
      code: 'proof_refused',
      place: 'a.csv:1',
      found: expect.stringContaining('not UTF-8'),
    });
    const file = await readExport(Readable.from([Buffer.from(`${text}${'x'.repeat(200_000)}`)]));
    const { faults } = await verifyExport(file!, log, UNSAID);
    expect(faults.at(-1)).toMatchObject({ line: 7, message: 'this row is longer than any event' });
  });

  test('with a member twice in a row, or in its data, is found out', async () => {
    const rows = rowsOf('ndjson');
    const twice = rows[9]!.replace('{', '{"agent":"MALLORY",');
    expect(await faultsOf(fileOf('ndjson', rows.with(9, twice)))).toContain('10 unreadable');
    const at = rows.findIndex((row, index) => index > 3 && row.includes('"data":{"'));
    const [member] = /(?<="data":\{)"[^,}]*[,}]/.exec(rows[at]!)!;
    const doubled = member.replace(/[,}]$/, ',');
    const inData = rows[at]!.replace('"data":{', `"data":{${doubled}`);
    expect(await faultsOf(fileOf('ndjson', rows.with(at, inData)))).toEqual([
      `${at + 1} unreadable`,
      expect.anything(),
    ]);
    const cells = rowsOf('csv');
    const cell = cells[at]!.replace('"{', `"{${doubled.replaceAll('"', '""')}`);
    expect(await faultsOf(fileOf('csv', cells.with(at, cell)))).toEqual([`${at + 2} differs`]);
    const beside = cells[at]!.replace('"{', 'x"{');
    expect((await faultsOf(fileOf('csv', cells.with(at, beside)))).length).toBeGreaterThan(0);
  });

  test('with a name in its data that V8 takes for another one has other cells', () => {
    const cellsOf = (name: string) => {
      const data = JSON.stringify({ x: 1, [name]: 1 });
      const csv = `2026-01-01T00:00:00Z,own_type,A,"${data.replaceAll('"', '""')}",0x00`;
      const json = `{"timestamp":"2026-01-01T00:00:00Z","event_type":"own_type","agent":"A","data":${data},"attestation_hash":"0x00"}`;
      return [parseCells(EXPORT_TABLE, 'csv', csv)!.data, parseCells(EXPORT_TABLE, 'json', json)!.data];
    };
    const cells = ['\\', '"', '\n', '\\u00df', 'ß'].flatMap(cellsOf);
    expect(new Set(cells).size).toBe(5);
  });

  test('of events with names that V8 takes for others is whole', async () => {
    const names = ['\\', '"', '\n', 'z\\', 'z"'];
    const own = names.map((name, at) => ({ ...events[at]!, type: 'own_type', data: { z: 1, [name]: 1 } }));
    await publishSmallLog(join(folder, 'named-ledger'), join(folder, 'named'), own);
    const named = await LogEntries.open(await FolderOrigin.at(join(folder, 'named'), true), VERIFIERS);
    for (const form of FORMS) {
      const file = await readExport(chunksOf(fileOf(form, rowsOf(form, own)), 5000));
      expect(await verifyExport(file!, named, UNSAID)).toMatchObject({ entries: own.length, faults: [] });
    }
  });

  test('with rows that a program spelt in its own way says the same', async () => {
    const rows = rowsOf('ndjson').map((row) => {
      const { timestamp, ...others } = JSON.parse(row);
      return JSON.stringify({ ...others, timestamp }).replaceAll(/":(?=["{[])/g, '" : ');
    });
    expect((await verify(fileOf('ndjson', rows))).faults).toEqual([]);
  });
});
