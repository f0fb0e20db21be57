import { csvRow } from '../../../pipeline/artifacts/format/csv.ts';
import type { Field, Filter, Pattern } from '../../api/query/filter.ts';
import type { Row } from './row.ts';

/** Whether a row is in the export. Bytes are compared, so that no text is made of a row that is passed over. */
export type RowTest = (bytes: Buffer, row: Row) => boolean;

/** Where a cell begins and ends. The cycle has none: narrow() takes it out of a filter first. */
const CELLS: Readonly<Record<Exclude<Field, 'cycle'>, (row: Row) => [begin: number, end: number]>> = {
  event_type: (row) => [row.type, row.agent - 1],
  agent: (row) => [row.agent, row.data - 1],
  attestation_hash: (row) => [row.hash, row.end - 1],
};

/** A test for rows of a filter that does not ask for the cycle. */
export function rowTest(filter: Filter): RowTest {
  if (filter.kind === 'match') return matchTest(filter);
  const tests = filter.parts.map(rowTest);
  // One test with this result decides.
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

/** As the cell of such a value is written, in quotes or not. */
function encode(text: string): Buffer {
  return Buffer.from(csvRow([text]).slice(0, -1));
}

/** As the cells of values with this beginning begin: whether they are in quotes depends on the rest. */
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
