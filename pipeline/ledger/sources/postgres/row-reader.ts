import { CathedralError } from '../../../errors.ts';
import type { SourceRow } from '../source.ts';
import type { Column, Relation } from './relation.ts';

/** Turns the fields of `columns`, as COPY writes them, into rows. `name` is the source's, for errors. */
export function rowReader(
  { columns, mapping, id }: Relation,
  name: string,
): (fields: readonly (string | null)[]) => SourceRow {
  const readers = columns.map(({ name: column, type, category }) => ({
    column,
    read: readerOf(type, category),
  }));
  const idAt = columns.findIndex((column) => column.name === id.name);
  return (fields) => {
    const rowId = `${fields[idAt]}`;
    const place = () => `${name}, row ${rowId}`;
    try {
      const row: Record<string, unknown> = {};
      readers.forEach(({ column, read }, at) => {
        const field = fields[at] ?? null;
        row[column] = field === null ? null : read(field, () => `${place()}, column ${column}`);
      });
      const mapped = mapping.map(row, place);
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

type Read = (text: string, place: () => string) => unknown;

const asText: Read = (text) => text;

/** Numbers, truth values and JSON as such; other types as texts, which the mapping converts. */
function readerOf(type: Column['type'], category: Column['category']): Read {
  if (category === 'N') return readNumber;
  if (type === 'boolean') return (text) => text === 't';
  if (type === 'json' || type === 'jsonb' || category === 'A' || category === 'C') return readJson;
  return asText;
}

/** A number where a double holds all its digits, otherwise its text. */
const readNumber: Read = (text, place) => {
  if (/^(NaN|-?Infinity)$/.test(text)) throw wrong(place(), 'a finite number', text);
  return isExact(text) ? Number(text) : text;
};

/** Longer numbers than a double can hold for certain, and exponents. */
const SUSPICIOUS = /\d{16}|\d[.]\d{15}|\d[eE]/;

function isExact(text: string): boolean {
  return text.replace(/^-?0*\.?0*/, '').replace('.', '').length <= 15 && Number.isFinite(Number(text));
}

const readJson: Read = (text, place) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw wrong(place(), 'JSON', JSON.stringify(text.slice(0, 80)), cause);
  }
  if (SUSPICIOUS.test(text)) assertFinite(value, text, place);
  return value;
};

function assertFinite(value: unknown, text: string, place: () => string): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw wrong(place(), 'numbers that a double can hold', text.slice(0, 80));
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) assertFinite(member, text, place);
  }
}

function wrong(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('ledger_schema', { place, expected, found, cause });
}
