import { type CathedralError, errorOf } from '../../errors.ts';
import { type LedgerEvent, MAX_LINE_BYTES } from './event.ts';
import { assertEvent } from './event-check.ts';
import { unambiguousJson } from './json.ts';

const corrupt = errorOf('ledger_corrupt');

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The event of one line, given without its line end; `place` names the line in errors.
 * Throws `ledger_corrupt` (too long, not UTF-8, not JSON) or `ledger_schema`.
 */
export function parseEventLine(line: Buffer, place: () => string): LedgerEvent {
  if (line.length > MAX_LINE_BYTES)
    throw corrupt(place(), `at most ${MAX_LINE_BYTES} bytes`, `${line.length}`);
  const text = decoded(line, place);
  // JSON allows white space around the object, so a CR before the line end: no two spellings of one ending.
  if (text[0] !== '{' || text.at(-1) !== '}') throw notObject(text, place());
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch (cause) {
    throw notObject(text, place(), cause);
  }
  const exact = unambiguousJson(text, event);
  const read = exact ?? event;
  assertEvent(read, place);
  if (exact === undefined)
    throw corrupt(place(), 'each member once and each number finite', 'a line that can be read in two ways');
  return read;
}

function decoded(line: Buffer, place: () => string): string {
  try {
    return utf8.decode(line);
  } catch (cause) {
    throw corrupt(place(), 'UTF-8', 'other bytes', cause);
  }
}

/**
 * The line of a checked event, without its line end, members in the order in which the format describes them.
 * The texts that are put in as they are have, by their schemas, nothing in them that JSON would escape.
 */
export function formatEventLine(event: LedgerEvent): string {
  return eventLine(event, JSON.stringify(event.data));
}

/** The same with the JSON text of `data`. */
export function eventLine({ seq, timestamp, cycle, type, agent, salt }: LedgerEvent, data: string): string {
  const head = `{"seq":${seq},"timestamp":"${timestamp}","cycle":"${cycle}","type":"${type}"`;
  return `${head},"agent":${JSON.stringify(agent)},"data":${data},"salt":"${salt}"}`;
}

function notObject(text: string, place: string, cause?: unknown): CathedralError {
  const found = text.length > 80 ? `${text.slice(0, 40)} … ${text.slice(-40)}` : text;
  return corrupt(place, 'a JSON object', JSON.stringify(found), cause);
}
