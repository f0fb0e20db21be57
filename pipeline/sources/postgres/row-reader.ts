import { errorOf } from '../../errors.ts';
import { exactNumber, JsonFault } from '../../ledger/events/json.ts';
import { draftRow, timed } from '../import/imported-row.ts';
import { assertRowId, type SourceRow } from '../import/source.ts';
import { faultOf, readJsonb, readRowJson } from '../rows/row-json.ts';
import { orFault } from '../rows/row-reader.ts';
import type { Column, Relation } from './relation.ts';

const wrong = errorOf('ledger_schema');

/** Turns the fields of `columns`, as the server prints them, into rows. `name` is the source's, for errors. */
export function rowReader(
  { columns, mapping, id, timestamp: time, order }: Relation,
  name: string,
): (fields: readonly (string | null)[]) => SourceRow {
  const readers = columns.map((column) => ({ column: column.name, read: readerOf(column) }));
  const [idAt, timeAt] = [columns.indexOf(id), columns.indexOf(time)];
  return (fields) => {
    const rowId = `${fields[idAt]}`;
    const key = order.length > 1 ? [`${fields[timeAt]}`, rowId] : [rowId];
    const place = () => `${name}, row ${rowId}`;
    const draft = orFault(() => {
      assertRowId(rowId, `${place().slice(0, 300)}, column ${id.name}`);
      const values: Record<string, unknown> = {};
      for (const [at, { column, read }] of readers.entries()) {
        const field = fields[at] ?? null;
        values[column] = field === null ? null : read(field, () => `${place()}, column ${column}`);
      }
      const [event = null] = mapping.events(values, place);
      return event && timed(event, () => `${place()}, column ${time.name}`);
    });
    return draftRow({ id: rowId, place: key }, draft, mapping.columnOf);
  };
}

type Read = (text: string, place: () => string) => unknown;

/** Numbers, truth values and JSON as such; other types as texts, which the mapping converts. */
function readerOf({ type, category }: Column): Read {
  if (category === 'N') return readNumber;
  if (type === 'boolean') return (text) => text === 't';
  if (type === 'jsonb') return jsonWith(readJsonb);
  if (/^(real|double precision|numeric)\[\]$/.test(type)) return readNumbers;
  // A list or a record is selected as JSON, in which a member of theirs may be twice.
  return type === 'json' || /[AC]/.test(category) ? jsonWith(readRowJson) : (text) => text;
}

/** A number where a double holds all its digits, otherwise its text. */
const readNumber: Read = (text, place) => {
  if (/^(NaN|-?Infinity)$/.test(text)) throw wrong(place(), 'a finite number', text);
  return exactNumber(text) ?? text;
};

/** In the JSON of a list of numbers, those that are not finite are the only texts. */
const readNumbers: Read = (text, place) => {
  const notFinite = /"([^"]*)"/.exec(text)?.[1];
  if (notFinite !== undefined) throw wrong(place(), 'finite numbers', notFinite);
  return jsonWith(readRowJson)(text, place);
};

function jsonWith(read: (text: string) => unknown): Read {
  return (text, place) => {
    try {
      return read(text);
    } catch (fault) {
      if (fault instanceof JsonFault) throw faultOf(fault, text, place());
      throw fault;
    }
  };
}
