import { orNull } from '../errors.ts';
import { JsonFault, type JsonRules, type Range, readStrictJson } from '../ledger/events/json.ts';
import { formatPointer, type Problem, problem } from './problem.ts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

/** No valid attestation comes close to this. Longer texts are refused unread. */
export const MAX_BYTES = 65_536;
/** Defined members reach the fourth level; `metadata` may be nested further. */
export const MAX_DEPTH = 16;

export type Read = { value: Json; problem: null } | { value: null; problem: Problem };

export interface JsonLimits {
  maxBytes: number;
  /** Of objects and arrays in each other, the outermost counted. */
  maxDepth: number;
}

const OF_DOCUMENTS: JsonLimits = { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH };

/**
 * JSON that every reader reads in the same way: UTF-8 without a byte order mark, no two members of one name, no lone
 * surrogate, no number that a double cannot hold, limited in size and depth.
 */
export function readLimitedJson(input: string | Uint8Array, limits: JsonLimits = OF_DOCUMENTS): Read {
  const text = decode(input, limits);
  if (typeof text !== 'string') return { value: null, problem: text };
  try {
    return { value: readStrictJson(text, rulesOf(limits)) as Json, problem: null };
  } catch (fault) {
    if (fault instanceof JsonFault) return { value: null, problem: problemOf(fault, limits) };
    throw fault;
  }
}

export interface Places {
  /** Positions of each value and its preceding name, by JSON Pointer. */
  values: ReadonlyMap<string, Range>;
  /** Where the reader stopped; null if it reached the end or refused the text as a whole. */
  stop: Range | null;
}

/** Locates each value in a text, as far as the text can be read. */
export function placesIn(text: string): Places {
  const values = new Map<string, Range>();
  if (typeof decode(text, OF_DOCUMENTS) !== 'string') return { values, stop: null };
  try {
    readStrictJson(text, rulesOf(OF_DOCUMENTS), (path, range) => values.set(formatPointer(path), range));
    return { values, stop: null };
  } catch (fault) {
    if (fault instanceof JsonFault) return { values, stop: fault.range };
    throw fault;
  }
}

function rulesOf({ maxDepth }: JsonLimits): JsonRules {
  return { maxDepth, hazards: 'refuse', numbers: 'finite' };
}

function problemOf({ code, path, message }: JsonFault, { maxDepth }: JsonLimits): Problem {
  if (code === 'not_json') return problem(code, path, `Not JSON ${message}.`);
  if (code === 'too_deep') return problem(code, path, `It is nested more than ${maxDepth} levels deep.`);
  return problem(code, path);
}

function decode(input: string | Uint8Array, { maxBytes }: JsonLimits): string | Problem {
  // A character takes at least one byte, so an overlong text need not be encoded.
  const bytes =
    input.length > maxBytes || typeof input !== 'string' ? input : new TextEncoder().encode(input);
  if (bytes.length > maxBytes) return problem('too_large', [], `It has more than ${maxBytes} bytes.`);
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  if (text === null || text.startsWith('\ufeff')) return problem('not_utf8', []);
  return text.isWellFormed() ? text : problem('lone_surrogate', []);
}

function decodeUtf8(bytes: Uint8Array): string | null {
  return orNull(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}
