import { CathedralError } from '../../errors.ts';
import { exactNumber, JsonFault } from '../../ledger/events/json.ts';
import type { SourceRow } from '../import/source.ts';
import { faultOf, readRowJson } from '../rows/row-json.ts';
import type { Column, Relation } from './relation.ts';

/** Turns the fields of `columns`, as COPY writes them, into rows. `name` is the source's, for errors. */
export function rowReader(
  relation: Relation,
  name: string,
): (fields: readonly (string | null)[]) => SourceRow {
  const { columns, mapping, id } = relation;
  const readers = columns.map(({ name: column, type, category }) => ({
    column,
    read: readerOf(type, category),
  }));
  const idAt = columns.findIndex((column) => column.name === id.name);
  const plain = plainReader(relation);
  return (fields) => {
    const row = plain?.(fields);
    if (row) return row;
    const rowId = `${fields[idAt]}`;
    const place = () => `${name}, row ${rowId}`;
    try {
      if (rowId === '' || rowId.length > MAX_ID_LENGTH)
        throw wrong(
          `${place().slice(0, 300)}, column ${id.name}`,
          `an id of 1 to ${MAX_ID_LENGTH} characters`,
          `${rowId.length}`,
        );
      const values: Record<string, unknown> = {};
      readers.forEach(({ column, read }, at) => {
        const field = fields[at] ?? null;
        values[column] = field === null ? null : read(field, () => `${place()}, column ${column}`);
      });
      const mapped = mapping.map(values, place);
      if (mapped === null) return { id: rowId, timestamp: '', draft: null };
      const { timestamp, ...draft } = mapped.draft;
      if (timestamp === undefined)
        throw wrong(`${place()}, column ${mapping.columnOf(draft.type, 'timestamp')}`, 'a time', 'NULL');
      return { id: rowId, timestamp, draft };
    } catch (error) {
      if (!(error instanceof CathedralError)) throw error;
      return { id: rowId, timestamp: '', draft: error };
    }
  };
}

const MAX_ID_LENGTH = 200;
/** `2026-10-01 08:00:00.123+00`, as the server writes a moment in this session. Other years it writes otherwise. */
const UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?\+00$/;
const PLAIN = ['id', 'timestamp', 'type', 'agent', 'data'];

/**
 * For a table whose columns are exactly those of a ledger, a reader that takes a third of the time. It returns null for a row in which
 * anything is unusual, which the mapping then reads, or refuses.
 */
function plainReader({
  columns,
  isPlain,
}: Relation): ((fields: readonly (string | null)[]) => SourceRow | null) | null {
  const at = (column: string) => columns.findIndex((one) => one.name === column);
  const [idAt, timeAt, typeAt, agentAt, dataAt] = PLAIN.map(at) as [number, number, number, number, number];
  const cycleAt = at('cycle');
  const isUsual =
    isPlain &&
    columns.length === PLAIN.length + (cycleAt < 0 ? 0 : 1) &&
    [idAt, timeAt, typeAt, agentAt, dataAt].every((one) => one >= 0) &&
    columns[timeAt]!.type === 'timestamp with time zone' &&
    columns[dataAt]!.type === 'jsonb' &&
    [typeAt, agentAt].every((one) => columns[one]!.category === 'S');
  if (!isUsual) return null;
  return (fields) => {
    const [id, time, type, agent, text] = [
      fields[idAt],
      fields[timeAt],
      fields[typeAt],
      fields[agentAt],
      fields[dataAt],
    ];
    if (
      !id ||
      id.length > MAX_ID_LENGTH ||
      !time ||
      !type ||
      !agent ||
      !text ||
      !UTC.test(time) ||
      SUSPICIOUS.test(text)
    )
      return null;
    const data = JSON.parse(text);
    if (typeof data !== 'object' || data === null || Array.isArray(data)) return null;
    const timestamp = `${time.slice(0, 10)}T${time.slice(11, -3)}Z`;
    const cycle = cycleAt < 0 ? null : fields[cycleAt];
    return { id, timestamp, draft: cycle ? { type, agent, data, cycle } : { type, agent, data } };
  };
}

type Read = (text: string, place: () => string) => unknown;

const asText: Read = (text) => text;

/** Numbers, truth values and JSON as such; other types as texts, which the mapping converts. */
function readerOf(type: Column['type'], category: Column['category']): Read {
  if (category === 'N') return readNumber;
  if (type === 'boolean') return (text) => text === 't';
  // A list or a record is selected as jsonb.
  if (type === 'jsonb' || category === 'A' || category === 'C')
    return (text, place) => (SUSPICIOUS.test(text) ? readJson(text, place) : JSON.parse(text));
  if (type === 'json') return readJson;
  return asText;
}

/** A number where a double holds all its digits, otherwise its text. */
const readNumber: Read = (text, place) => {
  if (/^(NaN|-?Infinity)$/.test(text)) throw wrong(place(), 'a finite number', text);
  return exactNumber(text) ?? text;
};

/** Perhaps a number that a double does not hold, or what the strict reader refuses. `jsonb` has no member twice. */
const SUSPICIOUS = /[:[,]\s*-?(?:[\d.]{16}|[\d.]+[eE])|^-?[\d.eE+-]+$|__proto__/;

const readJson: Read = (text, place) => {
  try {
    return readRowJson(text);
  } catch (fault) {
    if (fault instanceof JsonFault) throw faultOf(fault, text, place());
    throw fault;
  }
};

function wrong(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('ledger_schema', { place, expected, found });
}
