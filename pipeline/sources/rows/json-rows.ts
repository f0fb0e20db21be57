import { nearestName } from '../../config/nearest-name.ts';
import { type CathedralError, errorOf } from '../../errors.ts';
import type { EventDraft } from '../../ledger/events/draft.ts';
import { EXACT_NUMBER, findInexact, JsonFault, readStrictJson } from '../../ledger/events/json.ts';
import { decoderOf } from './input.ts';
import { idText, type Mapping, type Row } from './mapping.ts';
import { faultOf, STRICT } from './row-json.ts';

const corrupt = errorOf('ledger_corrupt');
const schema = errorOf('ledger_schema');

/** Longest JSON document, in bytes: it is read as a whole. */
const MAX_DOCUMENT = 64 * 1024 * 1024;

/** What a JSON document holds. */
export interface JsonDocument {
  items: { line: number; value: unknown }[];
  /** The names of the members beside `events`, which are not read. */
  unread: readonly string[];
}

/**
 * The items of a JSON array, or of the array `events` of an object, with their lines. A single event is one item. Throws `ledger_corrupt` for
 * what is no such document.
 */
export async function readJsonDocument(content: AsyncIterable<Buffer>, name: string): Promise<JsonDocument> {
  const text = await documentText(content, name);
  const lines = lineCounter(text);
  const starts: number[] = [];
  let value: unknown;
  try {
    value = readStrictJson(text, STRICT, (path, { start }) => {
      if (path.length === 1 && typeof path[0] === 'number') starts.push(start);
      if (path.length === 2 && path[0] === 'events' && typeof path[1] === 'number') starts.push(start);
    });
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    const place = `${name}:${lines(fault.range.start)}`;
    if (fault.code !== 'not_json' || !fault.expected.startsWith('the end')) throw faultOf(fault, text, place);
    throw corrupt(place, 'one JSON document; of several, one on each line (--format ndjson)', fault.found);
  }
  const [items, unread] = itemsOf(value);
  if (items === null) throw noDocument(value, text, name);
  const first = lines(text.search(/\S/));
  const placed = items.map((item, index) => ({
    line: starts[index] === undefined ? first : lines(starts[index]),
    value: item,
  }));
  return { items: placed, unread };
}

/** Most APIs have their rows in a member of another name: `data`, `rows`, `value`. */
function noDocument(value: unknown, text: string, name: string): CathedralError {
  const isRow = (item: unknown) => typeof item === 'object' && !Array.isArray(item);
  const [list] =
    Object.entries(value ?? {}).find(([, member]) => Array.isArray(member) && isRow(member[0])) ?? [];
  const expected = 'an array of events, {"events": [...]} or one event';
  const remedy =
    list === undefined ? '' : `; jq -c '.${JSON.stringify(list)}[]' writes its ${list} as rows of NDJSON`;
  return corrupt(name, expected + remedy, text.slice(0, 80));
}

async function documentText(content: AsyncIterable<Buffer>, name: string): Promise<string> {
  const all: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    length += chunk.length;
    if (length > MAX_DOCUMENT)
      throw corrupt(name, 'a JSON document of at most 64 MiB: write longer ones as NDJSON', 'a longer one');
    all.push(chunk);
  }
  return decoderOf(name)({ bytes: Buffer.concat(all), line: 1 }).toString();
}

/** Line of a character; offsets must not decrease. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  // Kept from one call to the next: a document may be one line of 64 MiB, and looking for its end again for each row would take hours.
  let end = text.indexOf('\n');
  return (offset) => {
    for (; end >= 0 && end < offset; end = text.indexOf('\n', end + 1)) line += 1;
    return line;
  };
}

function itemsOf(value: unknown): [items: unknown[] | null, unread: string[]] {
  if (Array.isArray(value)) return [value, []];
  if (typeof value !== 'object' || value === null) return [null, []];
  const { events, ...rest } = value as { events?: unknown };
  if (Array.isArray(events)) return [events, Object.keys(rest)];
  return [Object.hasOwn(value, 'type') ? [value] : null, []];
}

const MEMBERS = ['seq', 'timestamp', 'cycle', 'type', 'agent', 'data', 'salt', 'id'];
const KNOWN = new Set(MEMBERS);

/** For events as JSON has them. Their own `id` is the row's. */
export const JSON_EVENTS: Mapping = {
  columns: [],
  digest: '',
  file: {},
  isWide: false,
  events: (row, place) => [eventOf(row, place)],
  idOf: (row, place) => (Object.hasOwn(row, 'id') ? idText(row.id, place) : null),
  columnOf: () => null,
};

/**
 * For events of a file in which all rows have an id, or none has: one without an id among others would be known by its number, which is that of
 * another row once an earlier one is gone.
 */
export function eventsOfFile(haveIds: boolean): Mapping {
  if (haveIds) return { ...JSON_EVENTS, columnOf: (_, member) => (member === 'id' ? 'id' : null) };
  const idOf: Mapping['idOf'] = (row, place) => {
    if (!Object.hasOwn(row, 'id')) return null;
    throw schema(place(), 'no id, as the first row has none', JSON.stringify(row.id));
  };
  return { ...JSON_EVENTS, idOf };
}

function eventOf(row: Row, place: () => string): EventDraft {
  for (const name in row) {
    if (KNOWN.has(name)) continue;
    const near = nearestName(name, MEMBERS);
    throw schema(
      place(),
      near === null
        ? `only the members ${MEMBERS.join(', ')}, or a mapping file (--mapping)`
        : `the member ${near}`,
      `the member ${JSON.stringify(name)}`,
    );
  }
  const { id: _, ...draft } = row;
  const inexact = findInexact(draft);
  if (inexact) throw corrupt(`${place()}, member ${inexact.path.join('.')}`, EXACT_NUMBER, inexact.text);
  return draft as unknown as EventDraft;
}

/** A value that must be an object. Throws `ledger_schema`. */
export function objectRow(value: unknown, place: () => string): Row {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Row;
  throw schema(place(), 'a JSON object', `${JSON.stringify(value)}`.slice(0, 80));
}
