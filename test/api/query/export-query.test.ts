import { describe, expect, test } from 'vitest';
import { ExportQuery } from '../../../src/api/query/export-query.ts';
import { readQuery } from '../../../src/api/query/query.ts';
import { problemOf } from '../../sidecar/export/problem-of.ts';

const parseExportQuery = (query: string) => readQuery(ExportQuery, query);
const refusalOf = (query: string) => problemOf(() => parseExportQuery(query));

describe('the parameters of an export', () => {
  test('are optional: without them the export is everything, as JSON', () => {
    const given = { from: null, to: null, filter: null };
    expect(parseExportQuery('')).toEqual({ from: null, to: null, format: 'json', filter: null, given });
  });

  test.each<[from: string, to: string, wanted: [string, string]]>([
    ['2025-12-01', '2025-12-01', ['2025-12-01T00:00:00Z', '2025-12-01T24:00:00Z']],
    ['2024-02-29', '2024-02-29', ['2024-02-29T00:00:00Z', '2024-02-29T24:00:00Z']],
    ['2025-12-01T06:00:00Z', '2025-12-01T06:00:00Z', ['2025-12-01T06:00:00Z', '2025-12-01T06:00:00Z']],
    ['2025-12-01T06:00:00.120Z', '2026-01-01', ['2025-12-01T06:00:00.120Z', '2026-01-01T24:00:00Z']],
    ['2025-12-01T00:30:00%2B01:00', '2025-12-01', ['2025-11-30T23:30:00Z', '2025-12-01T24:00:00Z']],
    ['2025-12-31T23:00:00.5-05:30', '2026-12-01', ['2026-01-01T04:30:00.5Z', '2026-12-01T24:00:00Z']],
    ['0000-01-01', '9999-12-31', ['0000-01-01T00:00:00Z', '9999-12-31T24:00:00Z']],
  ])('take from %s to %s', (from, to, wanted) => {
    const query = parseExportQuery(`from=${from}&to=${to}`);
    expect([query.from, query.to]).toEqual(wanted);
    expect(query.given).toEqual({ from: decodeURIComponent(from), to, filter: null });
  });

  test('are decoded like those of a form', () => {
    const query = parseExportQuery('f%72om=2025%2D12-01&filter=agent%3D%3D%22a+b%22');
    expect([query.from, query.given.filter]).toEqual(['2025-12-01T00:00:00Z', 'agent=="a b"']);
  });

  const PARAMETERS = 'from, to, format, filter';
  test.each([
    ['From=2025-12-01', `This path takes the parameters ${PARAMETERS}, found "From".`],
    ['format=csv&', `This path takes the parameters ${PARAMETERS}, found an empty one.`],
    ['=csv', `This path takes the parameters ${PARAMETERS}, found an empty one.`],
    ['__proto__=1', `This path takes the parameters ${PARAMETERS}, found "__proto__".`],
  ])('refuse %s', (query, detail) => {
    expect(refusalOf(query)).toEqual({ code: 'unknown_parameter', detail });
  });

  const DATE = 'expected a date like 2025-12-01 or a date-time like 2025-12-01T06:00:00Z';
  test.each([
    ['format=csv&form%61t=csv', 'The parameter format: expected one value, found the parameter twice.'],
    ['from', 'The parameter from: expected a value, found none.'],
    ['to=%zz', 'The parameter to: expected UTF-8 in percent-encoding, found "%zz".'],
    ['to=%ff', 'The parameter to: expected UTF-8 in percent-encoding, found "%ff".'],
    ['format=toString', 'The parameter format: expected one of csv, json, ndjson, found "toString".'],
    ['from=2025-02-29', `The parameter from: ${DATE}, found "2025-02-29".`],
    ['to=2025-1-1', `The parameter to: ${DATE}, found "2025-1-1".`],
    ['to=20251201', `The parameter to: ${DATE}, found "20251201".`],
    ['to=yesterday', `The parameter to: ${DATE}, found "yesterday".`],
    [
      'to=%202025-12-01',
      `The parameter to: ${DATE}, found " 2025-12-01" (write a plus sign in an address as %2B).`,
    ],
    ['to=2025-12-01T06:00:00', `The parameter to: ${DATE}, found "2025-12-01T06:00:00".`],
    ['to=2025-12-01T24:00:00Z', `The parameter to: ${DATE}, found "2025-12-01T24:00:00Z".`],
    ['to=2025-12-01T23:59:60Z', `The parameter to: ${DATE}, found "2025-12-01T23:59:60Z".`],
    [
      'from=0000-01-01T00:00:00%2B01:00',
      'The parameter from: expected a year from 0 to 9999 in UTC, found "0000-01-01T00:00:00+01:00".',
    ],
    [
      `from=2025-12-01T06:00:00.${'1'.repeat(50)}Z`,
      `The parameter from: ${DATE}, found "2025-12-01T06:00:00.${'1'.repeat(40)}…".`,
    ],
    [
      'from=2025-12-01T06:00:00.5Z&to=2025-12-01T06:00:00.25Z',
      'The parameter from: expected a time at or before to, found "2025-12-01T06:00:00.5Z" and "2025-12-01T06:00:00.25Z".',
    ],
  ])('refuse %s', (query, detail) => {
    expect(refusalOf(query)).toEqual({ code: 'invalid_parameter', detail });
  });
});
