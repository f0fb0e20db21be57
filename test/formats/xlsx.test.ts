import { read, utils, type WorkBook } from '@e965/xlsx';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../pipeline/formats/columns.ts';
import { BLOCK_ROWS } from '../../pipeline/formats/table-file.ts';
import { TABLES, type Table } from '../../pipeline/formats/tables.ts';
import { LONGEST_TEXT } from '../../pipeline/formats/workbook-xml.ts';
import { SHEET_ROWS, XlsxFile } from '../../pipeline/formats/xlsx.ts';
import { ORGANISATION } from '../organisation.ts';
import { readZip } from './read-zip.ts';

const named = (name: string) => TABLES.find((table) => table.name === name)!;

function formatXlsx(table: Table, rows: readonly Row[], sheetRows = SHEET_ROWS): Buffer {
  const xlsx = new XlsxFile(table, ORGANISATION, sheetRows);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < rows.length; at += BLOCK_ROWS)
    chunks.push(...xlsx.add(rows.slice(at, at + BLOCK_ROWS)));
  return Buffer.concat([...chunks, ...xlsx.finish()]);
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
    const workbook = read(formatXlsx(named('mic_history'), rows), { cellDates: true, UTC: true });
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
    const mii = read(formatXlsx(named('mii_by_day'), [day]), { cellDates: true, UTC: true });
    expect(cells(mii)[1]).toEqual([new Date('2026-01-01'), 4, 0.95, 0.9, 1, 0.96, 0.93, true]);
    const decision: Row = ['d', '2026-01-01', 't', ['a', 'b'], [], 'r', 'o', ''];
    expect(cells(read(formatXlsx(named('decisions'), [decision])))[1]).toEqual([
      'd',
      46023,
      't',
      '["a","b"]',
      ...['[]', 'r', 'o', ''],
    ]);
    const silent: Row = ['2026-01-01', 'EVE', 'X', 'offline', 0, 24.5, null, null];
    const sheet = read(formatXlsx(named('sentinels_by_day'), [silent])).Sheets.data!;
    expect([sheet.F2.v, sheet.G2, sheet.H2]).toEqual([24.5, undefined, undefined]);
  });

  test('has days before March 1900 as texts, since Excel shows another day or none', () => {
    const days = ['1789-05-16', '1899-12-31', '1900-02-28', '1900-03-01'];
    const rows = days.map((day): Row => [day, 4, 0.95, 0.9, 1, 0.96, 0.93, true]);
    const found = cells(read(formatXlsx(named('mii_by_day'), rows)));
    expect(found.slice(1).map(([day]) => day)).toEqual([...days.slice(0, 3), 61]);
  });

  test('explains each column on a sheet of its own', () => {
    const bytes = formatXlsx(named('mic_history'), []);
    const lines = cells(read(bytes), 'dictionary');
    expect(lines[0]).toEqual(['column', 'type', 'description', 'unit', 'range', 'formula']);
    expect(lines.slice(1, 7).map(([name]) => name)).toEqual(
      named('mic_history').columns.map(({ name }) => name),
    );
    expect(lines.find(([name]) => name === 'amount')).toContain('MIC, exact to 6 decimal places');
    const about = Object.fromEntries(lines.slice(7).map(([name, , said]) => [name, said]));
    expect(about).toMatchObject({
      publisher: ORGANISATION.name,
      'published as': '/economy/mic-history.csv',
      licence: expect.stringContaining(ORGANISATION.licence.url),
    });
  });

  test('never runs a text as a formula, whatever it looks like', () => {
    const words = [
      ...'=1+1 +1 -1 @x {=1} 2026-01-01 TRUE 1e3 =HYPERLINK("https://example.org","x")'.split(' '),
      '\t=1',
    ];
    const workbook = read(
      formatXlsx(
        WORDS,
        words.map((word) => [word]),
      ),
      { cellFormula: true },
    );
    for (const [index, word] of words.entries()) {
      const cell = workbook.Sheets.data![`A${index + 2}`];
      expect([cell.t, cell.v, cell.f]).toEqual(['s', word, undefined]);
    }
    const xml = sheetXml(
      formatXlsx(
        WORDS,
        words.map((word) => [word]),
      ),
    );
    expect(xml).not.toContain('<f>');
  });

  test('gives back any text', () => {
    const word = fc.string({
      unit: fc.constantFrom(
        ...['a', ' ', '<', '&', '"', "'", '>', '\n', '\t', '\u0007', '\u0000'],
        ...'_x0é漢𝄞=',
      ),
      minLength: 1,
      maxLength: 12,
    });
    const same = fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
      const sheet = read(
        formatXlsx(
          WORDS,
          words.map((one) => [one]),
        ),
      ).Sheets.data!;
      expect(words.map((_, index) => unescaped(sheet[`A${index + 2}`].v))).toEqual(words);
    });
    fc.assert(same, { numRuns: 200 });
  });

  test('cuts a text that no cell can hold, and shows that it did', () => {
    const workbook = read(formatXlsx(WORDS, [['x'.repeat(LONGEST_TEXT)], ['y'.repeat(LONGEST_TEXT + 1)]]));
    expect(workbook.Sheets.data!.A2.v).toBe('x'.repeat(LONGEST_TEXT));
    expect(workbook.Sheets.data!.A3.v).toBe(`${'y'.repeat(LONGEST_TEXT - 1)}…`);
  });

  test('keeps its header in sight, and says nothing of when or where it was written', () => {
    const bytes = Buffer.from(formatXlsx(WORDS, [['a']]));
    const files = readZip(bytes);
    for (const sheet of ['xl/worksheets/sheet1.xml', 'xl/worksheets/sheet2.xml'])
      expect(files.get(sheet)!.toString()).toContain(
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>',
      );
    expect(read(bytes, { cellStyles: true }).Sheets.data!['!cols']?.map(({ width }) => width)).toEqual([24]);
    // Bytes 10 to 13 of a local header: 00:00 on 1980-01-01.
    expect(bytes.readUInt32LE(10)).toBe((1 << 21) | (1 << 16));
  });

  test('continues on a further sheet when one is full, below the most rows that a sheet can have', () => {
    expect(SHEET_ROWS % BLOCK_ROWS).toBe(0);
    expect(SHEET_ROWS).toBeLessThan(1_048_576);
    const rows = Array.from({ length: 2 * BLOCK_ROWS + 1 }, (_, index): Row => [`word ${index}`]);
    const workbook = read(formatXlsx(WORDS, rows, BLOCK_ROWS));
    expect(workbook.SheetNames).toEqual(['data', 'data 2', 'data 3', 'dictionary']);
    expect(cells(workbook).at(-1)).toEqual([`word ${BLOCK_ROWS - 1}`]);
    expect(cells(workbook, 'data 2')[1]).toEqual([`word ${BLOCK_ROWS}`]);
    expect(cells(workbook, 'data 3')).toEqual([['word'], [`word ${2 * BLOCK_ROWS}`]]);
  });
});

/** The reader leaves ECMA-376’s escapes of control characters as they are. */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-F]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The data sheet as it is stored. */
function sheetXml(bytes: Uint8Array): string {
  return readZip(Buffer.from(bytes)).get('xl/worksheets/sheet1.xml')!.toString();
}
