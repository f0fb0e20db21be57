import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvRow } from '../../pipeline/artifacts/format/csv.ts';
import { csvCells } from '../../pipeline/formats/csv-cells.ts';

const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '漢', '=') });
const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 6 });

describe('the cells of a CSV text', () => {
  test('are those that went in', () => {
    const same = fc.property(rows, (given) => {
      expect(csvCells(given.map(csvRow).join(''))).toEqual(given);
    });
    fc.assert(same, { numRuns: 2000 });
  });

  test('are those that an independent parser reads', () => {
    const same = fc.property(rows, (given) => {
      const text = given.map(csvRow).join('');
      expect(csvCells(text)).toEqual(parse(text, { relax_column_count: true }));
    });
    fc.assert(same, { numRuns: 500 });
  });

  test('are none in an empty text', () => {
    expect(csvCells('')).toEqual([]);
  });
});
