import type * as z from 'zod/mini';
import { CathedralError, type ErrorCode } from '../../errors.ts';
import { readJson } from '../../ledger/events/json.ts';
import { amountToNumber, formatAmount } from '../../model/amount.ts';
import { printable } from '../../words/printable.ts';
import { describe, formatPlace, schemaFault } from './schema-fault.ts';

/** Strings and the punctuation that structures a JSON text; everything else is numbers, literals and white space. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

interface Level {
  /** Names seen so far; null in an array. */
  names: Set<string> | null;
  /** The member or element being read. */
  at: string | number;
}

/**
 * The path to the first duplicate member of a JSON text, or the first one named `__proto__`; null if there is none. RFC 8259
 * §4 leaves the meaning of duplicates open, and JSON.parse silently keeps the last; a copy of the object would lose
 * `__proto__`. `text` has to be valid JSON.
 */
function findBadMemberName(text: string): (string | number)[] | null {
  const levels: Level[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ names: new Set(), at: '' });
    else if (token === '[') levels.push({ names: null, at: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && typeof level?.at === 'number') level.at += 1;
    else if (token === ':' && level?.names) {
      level.at = JSON.parse(last) as string;
      if (level.names.has(level.at) || level.at === '__proto__') return levels.map(({ at }) => at);
      level.names.add(level.at);
    }
    last = token;
  }
  return null;
}

declare global {
  interface JSON {
    /** A number that is written with exactly these digits. */
    rawJSON(text: string): object;
  }
}

/** T, in which every number may be an amount in 1e-6 MIC, which is written with all of its digits: a double would round it. */
export type Writable<T> = T extends number
  ? T | bigint
  : T extends readonly (infer Item)[]
    ? readonly Writable<Item>[]
    : T extends object
      ? { [Key in keyof T]: Writable<T[Key]> }
      : T;

type Path = readonly (string | number)[];

/**
 * The text of a JSON file: 2-space indentation, `\n` at the end, members in the schema's order (records keep theirs). The
 * schema must leave its value unchanged: no default, transform or codec. Throws artifact_invalid with the path if `value`
 * does not fit the schema, or holds a value that JSON cannot express (NaN, undefined).
 */
export function formatJson<S extends z.ZodMiniType>(
  schema: S,
  value: Writable<z.output<S>>,
  place: string,
): string {
  return `${JSON.stringify(ordered(schema, value, place), null, 2)}\n`;
}

/** The same on one line without a line end, for an element of an array that is joined from segments. */
export function formatJsonRow<S extends z.ZodMiniType>(
  schema: S,
  value: Writable<z.output<S>>,
  place: string,
): string {
  return JSON.stringify(ordered(schema, value, place));
}

/** Throws `code` with place and path for a syntax error, a duplicate member, or a value that the schema refuses. */
export function parseJsonFile<S extends z.ZodMiniType>(
  text: string,
  schema: S,
  place: string,
  code: ErrorCode = 'artifact_invalid',
): z.output<S> {
  const value = parseJson(text, place, code);
  const result = schema.safeParse(value);
  if (!result.success) throw new CathedralError(code, schemaFault(place, result.error, value));
  return result.data;
}

function parseJson(text: string, place: string, code: ErrorCode): unknown {
  let value: unknown;
  try {
    value = readJson(text);
  } catch (cause) {
    throw new CathedralError(code, {
      place,
      expected: 'JSON',
      found: printable((cause as Error).message),
      cause,
    });
  }
  const path = findBadMemberName(text);
  if (path === null) return value;
  const expected = 'each member once, none of them __proto__';
  throw new CathedralError(code, { place: formatPlace(place, path), expected, found: describe(path.at(-1)) });
}

function ordered(schema: z.ZodMiniType, value: unknown, place: string): unknown {
  const plain = toPlain(value, place, []);
  const result = schema.safeParse(plain);
  if (!result.success) throw new CathedralError('artifact_invalid', schemaFault(place, result.error, plain));
  return inOrder(result.data, value, place, []);
}

/** The value that a JSON parser returns: amounts become the nearest double. */
function toPlain(value: unknown, place: string, path: Path): unknown {
  if (typeof value === 'bigint') return amountToNumber(value);
  if (Array.isArray(value)) return value.map((item, index) => toPlain(item, place, [...path, index]));
  if (isPlainObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, toPlain(member, place, [...path, key])]),
    );
  }
  if (isJsonScalar(value)) return value;
  throw new CathedralError('artifact_invalid', {
    place: formatPlace(place, path),
    expected: 'a value that JSON can hold',
    found: describe(value),
  });
}

/** The given values in the order of `parsed`, which is the schema's. */
function inOrder(parsed: unknown, value: unknown, place: string, path: Path): unknown {
  if (typeof value === 'bigint') return JSON.rawJSON(formatAmount(value));
  if (Array.isArray(parsed) && Array.isArray(value)) {
    return parsed.map((item, index) => inOrder(item, value[index], place, [...path, index]));
  }
  if (isPlainObject(parsed) && isPlainObject(value)) {
    const keys = Object.keys(parsed);
    if (keys.length === Object.keys(value).length) {
      return Object.fromEntries(
        keys.map((key) => [key, inOrder(parsed[key], value[key], place, [...path, key])]),
      );
    }
  } else if (parsed === value) return value;
  throw new CathedralError('artifact_invalid', {
    place: formatPlace(place, path),
    expected: 'a schema that leaves its value as it is',
    found: `${describe(value)} changed to ${describe(parsed)}`,
  });
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isJsonScalar(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string') return value.isWellFormed();
  return value === null || typeof value === 'boolean';
}
