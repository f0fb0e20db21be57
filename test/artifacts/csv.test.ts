import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { csvRow, formatCsv } from '../../pipeline/artifacts/format/csv.ts';
import { CathedralError } from '../../pipeline/errors.ts';

const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '漢', '=', ';', '\t') }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
);
const row = fc.array(cell, { minLength: 1, maxLength: 6 });

describe('a CSV row', () => {
  test('has the bytes that csv-stringify gives', () => {
    const same = fc.property(row, (cells) => {
      expect(csvRow(cells)).toBe(stringify([cells]));
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
