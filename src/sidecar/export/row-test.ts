import { csvRow } from '../../../pipeline/artifacts/format/csv-row.ts';
import type { Field, Filter, Pattern } from '../../api/query/filter.ts';
import type { Row } from './row.ts';

/** Whether a row belongs to the export. Compares bytes, so that rejected rows are never decoded. */
export type RowTest = (bytes: Buffer, row: Row) => boolean;

/** The bounds of a cell. The cycle has no cell: narrow() removes it from a filter first. */
const CELLS: Readonly<Record<Exclude<Field, 'cycle'>, (row: Row) => [begin: number, end: number]>> = {
  event_type: (row) => [row.type, row.agent - 1],
  agent: (row) => [row.agent, row.data - 1],
  attestation_hash: (row) => [row.hash, row.end - 1],
};

/** A row test for a filter without the cycle. */
export function rowTest(filter: Filter): RowTest {
  if (filter.kind === 'match') return matchTest(filter);
  const tests = filter.parts.map(rowTest);
  // A single test with this result decides.
  const decisive = filter.kind === 'any';
  return (bytes, row) => {
    for (const test of tests) if (test(bytes, row) === decisive) return decisive;
    return !decisive;
  };
}

function matchTest({ field, negated, patterns }: Extract<Filter, { kind: 'match' }>): RowTest {
  if (field === 'cycle') throw new Error('rows have no cycle');
  const cell = CELLS[field];
  const wholes = patterns.filter(({ isPrefix }) => !isPrefix).map(({ text }) => encode(text));
  const beginnings = patterns.filter(({ isPrefix }) => isPrefix).flatMap(encodeBeginnings);
  return (bytes, row) => {
    const [begin, end] = cell(row);
    for (const whole of wholes)
      if (whole.length === end - begin && standsAt(bytes, begin, whole)) return !negated;
    for (const beginning of beginnings)
      if (beginning.length <= end - begin && standsAt(bytes, begin, beginning)) return !negated;
    return negated;
  };
}

/** A cell with this value, with or without quotes. */
function encode(text: string): Buffer {
  return Buffer.from(csvRow([text]).slice(0, -1));
}

/** The start of a cell whose value starts with this text: the rest decides whether the cell is quoted. */
function encodeBeginnings({ text }: Pattern): Buffer[] {
  const inQuotes = Buffer.from(`"${text.replaceAll('"', '""')}`);
  const plain = Buffer.from(text);
  return encode(text).equals(plain) ? [plain, inQuotes] : [inQuotes];
}

function standsAt(bytes: Buffer, at: number, needle: Buffer): boolean {
  for (let index = 0; index < needle.length; index += 1)
    if (bytes[at + index] !== needle[index]) return false;
  return true;
}
