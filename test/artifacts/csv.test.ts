import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import {
  formatCell,
  formatCsv,
  inertCell,
  csvRow as published,
} from '../../pipeline/artifacts/format/csv.ts';
import { csvRow } from '../../pipeline/artifacts/format/csv-row.ts';
import { chartCsv } from '../../pipeline/charts/chart-table.ts';
import { CathedralError } from '../../pipeline/errors.ts';
// As every program has them, whose files import the schemas of events.
import '../../pipeline/words/zod-messages.ts';

const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '漢', '=', ';', '\t') }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
);
const row = fc.array(cell, { minLength: 1, maxLength: 6 });

describe('a CSV row', () => {
  test('has the bytes that csv-stringify gives, also in the audit trail and in a page', () => {
    const same = fc.property(row, (cells) => {
      expect(published(cells)).toBe(stringify([cells]));
      expect(csvRow(cells)).toBe(published(cells));
    });
    fc.assert(same, { numRuns: 2000 });
  });

  test('comes back from a real parser as it went in', () => {
    fc.assert(
      fc.property(row, (cells) => {
        fc.pre(cells.some((cell) => cell !== ''));
        expect(parse(csvRow(cells))).toEqual([cells.map(String)]);
      }),
    );
  });
});

describe('a number in a CSV', () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n));

  test('has a point and its own digits, and no exponent', () => {
    const whole = fc.oneof(number, fc.maxSafeInteger(), fc.constantFrom(1e21, 1e-7, 5e-324, -1.5e-10, 1e308));
    fc.assert(
      fc.property(whole, (value) => {
        const text = formatCell(value, 'number');
        expect(text).toMatch(/^-?\d+\.\d+$/);
        expect(Number(text)).toBe(value);
      }),
    );
  });

  test('is an amount with all six places, however large', () => {
    expect(formatCell('12', 'decimal')).toBe('12.000000');
    expect(formatCell('0.000001', 'decimal')).toBe('0.000001');
    expect(formatCell(999_999_999_999_999_999_999n, 'decimal')).toBe('999999999999999.999999');
  });

  test('is a missing one where the cell is empty', () => {
    for (const type of ['number', 'decimal', 'integer']) expect(formatCell(null, type)).toBe('');
  });
});

describe('a text of the ledger in a CSV', () => {
  test.each([
    '=1+1',
    '@SUM(A1)',
    '+cmd',
    '-cmd',
    '-1+1',
    '\t=1',
    '\r=1',
    '\n=1',
    '\uff1d1',
    '--1',
    '-',
    '+1 2',
    '=-1',
  ])('that a spreadsheet would run has an apostrophe before it: %j', (text) =>
    expect(inertCell(text)).toBe(`'${text}`),
  );

  test.each(['', '-1', '+1', '-0.000001', '-1e-7', '+1.5E+10', 'a=b', "'=1", 'Whether - or not', -1, 0])(
    'or a number stays as it is: %j',
    (cell) => expect(inertCell(cell)).toBe(cell),
  );

  test('is inert in the table of a chart, in its columns’ names too', () => {
    const columns = [{ name: '@evil', title: '', unit: '' }];
    expect(chartCsv({ columns, rows: [['=HYPERLINK("x","y")'], [-1], ['-2.5'], [null]] })).toBe(
      `'@evil\n"'=HYPERLINK(""x"",""y"")"\n-1.0\n-2.5\n\n`,
    );
  });
});

describe('a CSV file', () => {
  const schema = z.strictObject({ id: z.string(), score: z.number() });

  test('has its header even without rows', () => {
    expect(formatCsv(schema, [], 'x.csv')).toBe('id,score\n');
  });

  test('is refused with the line and the column of a cell that does not fit', () => {
    const write = () =>
      formatCsv(
        schema,
        [
          { id: 'a', score: 1 },
          { id: 'b', score: 'x' },
        ],
        'x.csv',
      );
    expect(write).toThrow(CathedralError);
    expect(write).toThrow(/^x\.csv:3 score: expected .*number/);
  });
});
