import { isAscii } from 'node:buffer';
import { nearestName } from '../../config/nearest-name.ts';
import { CathedralError } from '../../errors.ts';
import type { EventDraft } from '../../ledger/events/draft.ts';
import {
  EXACT_NUMBER,
  findInexact,
  JsonFault,
  numberText,
  readStrictJson,
} from '../../ledger/events/json.ts';
import type { MappedRow, Row } from './mapping.ts';
import { faultOf, parseLine, STRICT } from './row-json.ts';

/** Longest line or cell of an input, in characters. An event has at most 65,535 bytes; the rest is room for white space. */
export const MAX_INPUT_LINE = 1024 * 1024;
/** Longest JSON document, in bytes: it is read as a whole. */
const MAX_DOCUMENT = 64 * 1024 * 1024;

/** A value and the line of its file where it begins. */
export interface Placed {
  line: number;
  /** The value; or why there is none. */
  value: unknown;
  fault?: CathedralError;
}

/** The values of NDJSON, one per line, in batches. An empty line is skipped. Throws what `chunks` throws. */
export async function* ndjsonValues(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Placed[]> {
  let rest = '';
  let isTooLong = false;
  let line = 0;
  const take = (text: string): Placed | null => {
    line += 1;
    const own = line;
    if (isTooLong || text.length > MAX_INPUT_LINE) {
      isTooLong = false;
      return { line: own, value: undefined, fault: tooLong(`${name}:${own}`) };
    }
    const end = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (end.trim() === '') return null;
    try {
      return { line: own, value: parseLine(end, () => `${name}:${own}`) };
    } catch (fault) {
      if (!(fault instanceof CathedralError)) throw fault;
      return { line: own, value: undefined, fault };
    }
  };
  for await (const chunk of chunks) {
    const text = rest + chunk.toString(isAscii(chunk) ? 'latin1' : 'utf8');
    const batch: Placed[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const placed = take(text.slice(start, end));
      if (placed) batch.push(placed);
      start = end + 1;
    }
    rest = text.slice(start);
    // The rest of a line that is too long is not kept.
    if (rest.length > MAX_INPUT_LINE) [rest, isTooLong] = ['', true];
    if (batch.length > 0) yield batch;
  }
  const last = rest === '' && !isTooLong ? null : take(rest);
  if (last) yield [last];
}

/** The items of a JSON array, or of the array `events` of an object, in batches. A single event is one item. */
export async function* jsonValues(chunks: AsyncIterable<Buffer>, name: string): AsyncGenerator<Placed[]> {
  const text = await wholeText(chunks, name);
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
    throw faultOf(fault, text, `${name}:${lines(fault.range.start)}`);
  }
  const items = itemsOf(value);
  if (items === null)
    throw corrupt(name, 'an array of events, {"events": [...]} or one event', text.slice(0, 80));
  const first = lines(text.search(/\S/));
  yield items.map((item, index) => ({
    line: starts[index] === undefined ? first : lines(starts[index]),
    value: item,
  }));
}

async function wholeText(chunks: AsyncIterable<Buffer>, name: string): Promise<string> {
  const all: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_DOCUMENT)
      throw corrupt(name, 'a JSON document of at most 64 MiB: write longer ones as NDJSON', 'a longer one');
    all.push(chunk);
  }
  return Buffer.concat(all).toString();
}

/** Line of a character; offsets must not decrease. */
function lineCounter(text: string): (offset: number) => number {
  let [line, at] = [1, 0];
  return (offset) => {
    for (let end = text.indexOf('\n', at); end >= 0 && end < offset; end = text.indexOf('\n', at)) {
      line += 1;
      at = end + 1;
    }
    return line;
  };
}

function itemsOf(value: unknown): unknown[] | null {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return null;
  const { events } = value as { events?: unknown };
  if (Array.isArray(events)) return events;
  return Object.hasOwn(value, 'type') ? [value] : null;
}

const MEMBERS = ['seq', 'timestamp', 'cycle', 'type', 'agent', 'data', 'salt', 'id'];
const KNOWN = new Set(MEMBERS);

/** An event as JSON has it, without a mapping. Its own `id` is the row's. Throws `ledger_schema`. */
export function eventRow(value: unknown, place: () => string): MappedRow {
  const row = objectRow(value, place);
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
  const { id, ...draft } = row;
  const inexact = findInexact(draft);
  if (inexact) throw corrupt(`${place()}, member ${inexact.path.join('.')}`, EXACT_NUMBER, inexact.text);
  return { id: Object.hasOwn(row, 'id') ? idText(id, place) : null, draft: draft as unknown as EventDraft };
}

/** The id of a row without a mapping. Throws `ledger_schema`. */
function idText(id: unknown, place: () => string): string {
  const text = typeof id === 'string' ? id : numberText(id);
  if (text === undefined) throw schema(place(), 'id to be a text or a number', JSON.stringify(id));
  return text;
}

/** A value that must be an object. Throws `ledger_schema`. */
export function objectRow(value: unknown, place: () => string): Row {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Row;
  throw schema(place(), 'a JSON object', `${JSON.stringify(value)}`.slice(0, 80));
}

export function tooLong(place: string): CathedralError {
  return corrupt(place, 'at most 1 MiB in one line', 'a longer one');
}

function corrupt(place: string, expected: string, found: string, cause?: unknown): CathedralError {
  return new CathedralError('ledger_corrupt', { place, expected, found, cause });
}

function schema(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('ledger_schema', { place, expected, found });
}
