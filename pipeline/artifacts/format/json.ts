import type * as z from 'zod/mini';
import { CathedralError, type ErrorCode } from '../../errors.ts';
import { JsonFault, type JsonRules, readStrictJson } from '../../ledger/events/json.ts';
import { amountToNumber, formatAmount } from '../../model/amount.ts';
import { printable } from '../../words/printable.ts';
import { describe, formatPlace, schemaFault } from './schema-fault.ts';

/** Of files: deeper than any that is published. */
const RULES: JsonRules = { maxDepth: 1000, hazards: 'refuse', numbers: 'finite' };

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
  try {
    return readStrictJson(text, RULES);
  } catch (cause) {
    if (!(cause instanceof JsonFault)) throw cause;
    const isMember = cause.code === 'duplicate_member' || cause.code === 'forbidden_member';
    throw new CathedralError(code, {
      place: isMember ? formatPlace(place, cause.path) : place,
      expected: isMember ? 'each member once, none of them __proto__' : `JSON, with ${cause.expectedHere}`,
      found: isMember ? describe(cause.path.at(-1)) : printable(cause.found),
      cause,
    });
  }
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
