import { type CathedralError, errorOf } from '../../errors.ts';
import { MAX_DEPTH } from '../../ledger/events/event.ts';
import { JsonFault, type JsonRules, readStrictJson } from '../../ledger/events/json.ts';

const corrupt = errorOf('ledger_corrupt');

export const STRICT: JsonRules = { maxDepth: MAX_DEPTH, hazards: 'refuse', numbers: 'kept' };
/** Whether a text has so many brackets that it may be nested too deeply; counting them takes less time than reading it. */
function mayBeTooDeep(text: string): boolean {
  const { maxDepth } = STRICT;
  return text.length > 2 * maxDepth && (text.match(/[[{]/g)?.length ?? 0) > maxDepth;
}

/** Half of a surrogate pair, __proto__ and a long whole number print as they were read. */
const HAZARD = /\\u[dD][89a-fA-F]|__proto__|\\u005|\d{16}/;

/**
 * The JSON text of a row, or of a part of one → value. A number that a double would change keeps its digits, which may be those of an
 * amount or an id: what uses it says so, by `numberText`, or refuses it, by `findInexact`. Throws JsonFault.
 */
export function readRowJson(text: string): unknown {
  // JSON.parse takes a tenth of the time. What is printed as it was read has no member twice and no number that a double changes.
  if (!HAZARD.test(text) && !mayBeTooDeep(text)) {
    try {
      const value: unknown = JSON.parse(text);
      if (JSON.stringify(value) === text) return value;
    } catch {
      // The strict reader says why.
    }
  }
  return readStrictJson(text, STRICT);
}

/** A number that a double may change, __proto__, and an escape, which JSON.parse may misread in a name. */
const JSONB_HAZARD = /\d[\d.]{15}|__proto__|\\/;

/** The same of jsonb as PostgreSQL prints it: with each member once, and without escapes that hide something. Throws JsonFault. */
export function readJsonb(text: string): unknown {
  const isPlain = !JSONB_HAZARD.test(text) && !mayBeTooDeep(text);
  return isPlain ? JSON.parse(text) : readStrictJson(text, STRICT);
}

/** The value of one line. Throws `ledger_corrupt`. */
export function parseLine(text: string, place: () => string): unknown {
  try {
    return readRowJson(text);
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    throw fault.code === 'not_json' ? notJson(text, place(), fault) : faultOf(fault, text, place());
  }
}

function notJson(text: string, place: string, cause: JsonFault): CathedralError {
  const token = /[:[,]\s*(NaN|-?Infinity|None|undefined)\s*[,}\]]/.exec(text)?.[1];
  if (token !== undefined)
    return corrupt(place, 'JSON, which has no such value: leave the member out', token, cause);
  if (text.includes('\r')) return corrupt(place, 'lines that end with LF or CRLF', 'CR alone', cause);
  return corrupt(place, `a whole JSON value on each line, with ${cause.expectedHere}`, cause.found, cause);
}

/** Why the JSON `text` of a row, or of a part of one, was refused. */
export function faultOf(fault: JsonFault, text: string, place: string): CathedralError {
  if (fault.code === 'not_json')
    return corrupt(place, `JSON, with ${fault.expectedHere}`, fault.found, fault);
  const member = fault.path.length === 0 ? '' : `, member ${fault.path.join('.')}`;
  const part = text.slice(fault.range.start, fault.range.end).slice(0, 80);
  return corrupt(`${place}${member}`, fault.expected, JSON.stringify(part), fault);
}
