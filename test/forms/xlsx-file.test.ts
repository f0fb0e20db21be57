import { inflateRawSync } from 'node:zlib';
import { read, utils, type WorkBook } from '@e965/xlsx';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Chunk } from '../../pipeline/forms/chunk.ts';
import type { Row } from '../../pipeline/forms/row.ts';
import { TABLES, type Table } from '../../pipeline/forms/tables.ts';
import { LONGEST_TEXT } from '../../pipeline/forms/xlsx/sheet-xml.ts';
import { BLOCK_ROWS, type SealedSheet, SHEET_ROWS, XlsxFile } from '../../pipeline/forms/xlsx/xlsx-file.ts';

const named = (name: string) => TABLES.find((table) => table.name === name)!;

interface Written {
  bytes: Buffer;
  sealed: readonly SealedSheet[];
}

function write(table: Table, rows: readonly Row[], before?: Written, sheetRows = SHEET_ROWS): Written {
  const xlsx = new XlsxFile(table, rows.length, sheetRows);
  const sealed = before?.sealed ?? [];
  const chunks = xlsx.start(sealed);
  const first = sealed.reduce((sum, sheet) => sum + sheet.rows, 0);
  for (let at = first; at < rows.length; at += BLOCK_ROWS)
    chunks.push(...xlsx.add(rows.slice(at, at + BLOCK_ROWS)));
  const end = xlsx.finish();
  const bytes = (chunk: Chunk) =>
    chunk instanceof Uint8Array ? chunk : before!.bytes.subarray(chunk.start, chunk.end);
  return { bytes: Buffer.concat([...chunks, ...end.chunks].map(bytes)), sealed: end.sealed };
}

function cells(workbook: WorkBook, sheet = 'data'): unknown[][] {
  return utils.sheet_to_json(workbook.Sheets[sheet]!, { header: 1, raw: true, UTC: true });
}

/** A table of one column, for what is about cells alone. */
const WORDS: Table = {
  ...named('cathedral_multipliers'),
  columns: [{ ...named('cathedral_multipliers').columns[4]!, name: 'word', type: 'text', nullable: true }],
};

describe('a workbook', () => {
  test('has numbers as numbers, dates as dates and texts as texts in an independent reader', () => {
    const rows: Row[] = [
      ['2026-01-01T23:59:59Z', 'C-182', 'EVE', '1234.567891', 'X', 52.25],
      ['2026-01-02T12:00:00Z', 'C-183', 'JADE', '0', 'X', 0],
    ];
    const workbook = read(write(named('mic_history'), rows).bytes, { cellDates: true, UTC: true });
    expect(workbook.SheetNames).toEqual(['data', 'dictionary']);
    const seconds = (value: unknown) =>
      value instanceof Date ? new Date(Math.round(+value / 1000) * 1000) : value;
    expect(cells(workbook).map((row) => row.map(seconds))).toEqual([
      ['timestamp', 'cycle', 'sentinel', 'amount', 'cathedral', 'coordination_score'],
      [new Date('2026-01-01T23:59:59Z'), 'C-182', 'EVE', 1234.567891, 'X', 52.25],
      [new Date('2026-01-02T12:00:00Z'), 'C-183', 'JADE', 0, 'X', 0],
    ]);
    expect(workbook.Sheets.data!.A2).toMatchObject({ t: 'd', w: '2026-01-01 23:59:59' });
    expect(workbook.Sheets.data!['!autofilter']).toEqual({ ref: 'A1:F3' });
  });

  test('has booleans, days, lists and empty cells', () => {
    const day: Row = ['2026-01-01', 4, 0.95, 0.9, 1, 0.96, 0.93, true];
    const mii = read(write(named('mii_by_day'), [day]).bytes, { cellDates: true, UTC: true });
    expect(cells(mii)[1]).toEqual([new Date('2026-01-01'), 4, 0.95, 0.9, 1, 0.96, 0.93, true]);
    const decision: Row = ['d', '2026-01-01', 't', ['a', 'b'], [], 'r', 'o', ''];
    expect(cells(read(write(named('decisions'), [decision]).bytes))[1]).toEqual([
      'd',
      46023,
      't',
      '["a","b"]',
      '[]',
      'r',
      'o',
      '',
    ]);
    const silent: Row = ['2026-01-01', 'EVE', 'X', 'offline', 0, 24.5, null, null];
    const sheet = read(write(named('sentinels_by_day'), [silent]).bytes).Sheets.data!;
    expect([sheet.F2.v, sheet.G2, sheet.H2]).toEqual([24.5, undefined, undefined]);
  });

  test('explains each column on a sheet of its own', () => {
    const { bytes } = write(named('mic_history'), []);
    const lines = cells(read(bytes), 'dictionary');
    expect(lines[0]).toEqual(['column', 'type', 'description', 'unit', 'range', 'formula']);
    expect(lines.slice(1, 7).map(([name]) => name)).toEqual(
      named('mic_history').columns.map(({ name }) => name),
    );
    expect(lines.find(([name]) => name === 'amount')).toContain('MIC, exact to 6 decimal places');
    expect(lines.flat().join(' ')).toContain('/economy/mic-history.csv');
  });

  test('never runs a text as a formula, whatever it looks like', () => {
    const words = [
      '=1+1',
      '+1',
      '-1',
      '@x',
      '\t=1',
      '=HYPERLINK("https://example.org","x")',
      '{=1}',
      '2026-01-01',
      'TRUE',
      '1e3',
    ];
    const workbook = read(
      write(
        WORDS,
        words.map((word) => [word]),
      ).bytes,
      { cellFormula: true },
    );
    for (const [index, word] of words.entries()) {
      const cell = workbook.Sheets.data![`A${index + 2}`];
      expect([cell.t, cell.v, cell.f]).toEqual(['s', word, undefined]);
    }
    const xml = sheetXml(
      write(
        WORDS,
        words.map((word) => [word]),
      ).bytes,
    );
    expect(xml).not.toContain('<f>');
  });

  test('gives back any text', () => {
    const word = fc.string({
      unit: fc.constantFrom(
        'a',
        ' ',
        '<',
        '&',
        '"',
        "'",
        '>',
        '\n',
        '\t',
        '\u0007',
        '\u0000',
        '_',
        'x',
        '0',
        'é',
        '漢',
        '𝄞',
        '=',
      ),
      minLength: 1,
      maxLength: 12,
    });
    const same = fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
      const sheet = read(
        write(
          WORDS,
          words.map((one) => [one]),
        ).bytes,
      ).Sheets.data!;
      expect(words.map((_, index) => unescaped(sheet[`A${index + 2}`].v))).toEqual(words);
    });
    fc.assert(same, { numRuns: 200 });
  });

  test('cuts a text that no cell can hold, and shows that it did', () => {
    const workbook = read(write(WORDS, [['x'.repeat(LONGEST_TEXT)], ['y'.repeat(LONGEST_TEXT + 1)]]).bytes);
    expect(workbook.Sheets.data!.A2.v).toBe('x'.repeat(LONGEST_TEXT));
    expect(workbook.Sheets.data!.A3.v).toBe(`${'y'.repeat(LONGEST_TEXT - 1)}…`);
  });

  test('has the same bytes whether it was written at once or went on from its full blocks', () => {
    const rows = Array.from({ length: 2 * BLOCK_ROWS + 7 }, (_, index): Row => [`word ${index}`]);
    const whole = write(WORDS, rows);
    for (const cut of [0, 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS, rows.length]) {
      const after = write(WORDS, rows, write(WORDS, rows.slice(0, cut)));
      expect(after.bytes.equals(whole.bytes), `${cut} rows before`).toBe(true);
      expect(after.sealed).toEqual(whole.sealed);
    }
    expect(cells(read(whole.bytes)).at(-1)).toEqual([`word ${rows.length - 1}`]);
  });

  test('goes on on a further sheet where one is full, below the most rows that a sheet can have', () => {
    expect(SHEET_ROWS % BLOCK_ROWS).toBe(0);
    expect(SHEET_ROWS).toBeLessThan(1_048_576);
    const rows = Array.from({ length: 2 * BLOCK_ROWS + 1 }, (_, index): Row => [`word ${index}`]);
    const whole = write(WORDS, rows, undefined, BLOCK_ROWS);
    const workbook = read(whole.bytes);
    expect(workbook.SheetNames).toEqual(['data', 'data 2', 'data 3', 'dictionary']);
    expect(cells(workbook).at(-1)).toEqual([`word ${BLOCK_ROWS - 1}`]);
    expect(cells(workbook, 'data 2')[1]).toEqual([`word ${BLOCK_ROWS}`]);
    expect(cells(workbook, 'data 3')).toEqual([['word'], [`word ${2 * BLOCK_ROWS}`]]);
    for (const cut of [BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS]) {
      const before = write(WORDS, rows.slice(0, cut), undefined, BLOCK_ROWS);
      expect(write(WORDS, rows, before, BLOCK_ROWS).bytes.equals(whole.bytes), `${cut} rows before`).toBe(
        true,
      );
    }
  });
});

/** The reader leaves ECMA-376’s escapes of control characters as they are. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The data sheet as it is stored; its header stands before it in the archive. */
function sheetXml(bytes: Buffer): string {
  const name = Buffer.from('xl/worksheets/sheet1.xml');
  const at = bytes.indexOf(name) + name.length;
  return inflateRawSync(bytes.subarray(at), { finishFlush: 2 }).toString();
}
