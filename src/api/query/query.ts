import { z } from 'zod';
import { Problem } from '../problem.ts';

/**
 * What a path takes in its query, by name. A strict object refuses other names; any other object ignores them. A member says in its error
 * what it expects, `64 hexadecimal digits`. A list takes its name repeatedly.
 */
export type Query = z.ZodObject | z.ZodPipe<z.ZodObject>;

/** No parameters. */
export const NONE = z.strictObject({});

/** Whatever there is, which makes no difference. */
export const IGNORED = z.object({});

/** The members of a query, by name. */
export function parametersOf(query: Query): Readonly<Record<string, z.ZodType>> {
  return objectIn(query).shape as Record<string, z.ZodType>;
}

/** Whether a name that is not declared is a problem. */
export function isStrict(query: Query): boolean {
  return objectIn(query).def.catchall instanceof z.ZodNever;
}

function objectIn(query: Query): z.ZodObject {
  return query instanceof z.ZodPipe ? query.in : query;
}

/**
 * Reads a query, without its question mark: each parameter known, with a value, and once unless it is a list. A plus sign is a space, as
 * forms send it. Throws a Problem unknown_parameter or invalid_parameter with the parameter, what is expected and what was found.
 */
export function readQuery<Q extends Query>(query: Q, text: string): z.output<Q> {
  if (text !== '') return parse(query, text);
  // Most requests have no query.
  const known = WITHOUT.get(query) ?? parse(query, text);
  WITHOUT.set(query, known as object);
  return known as z.output<Q>;
}

/** What queries are without any parameter. */
const WITHOUT = new WeakMap<Query, object>();

function parse<Q extends Query>(query: Q, text: string): z.output<Q> {
  const sent = valuesIn(query, text);
  const result = query.safeParse(sent);
  if (result.success) return result.data as z.output<Q>;
  const [issue] = result.error.issues;
  const name = String(issue!.path[0]);
  const { found = foundAt(sent[name]) } = ('params' in issue! && issue.params) || {};
  throw invalidParameter(name, expectedBy(issue!), String(found));
}

/** `found` appears as it is; text from the client goes through quoted() first. */
export function invalidParameter(name: string, expected: string, found: string): Problem {
  return new Problem('invalid_parameter', `The parameter ${name}: expected ${expected}, found ${found}.`);
}

/** Characters of a value that a message quotes. */
const MAX_QUOTED = 60;

export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

/** The values of a query by name, all of them declared; a list where the query takes one. */
function valuesIn(query: Query, text: string): Record<string, string | string[]> {
  const parameters = new Map(Object.entries(parametersOf(query)));
  const names = [...parameters.keys()];
  const sent: Record<string, string | string[]> = {};
  for (const part of text === '' ? [] : text.split('&')) {
    const equals = part.indexOf('=');
    const strict = isStrict(query);
    const name = decode(strict ? 'name' : null, equals < 0 ? part : part.slice(0, equals));
    const type = name === null ? undefined : parameters.get(name);
    if (name !== null && type === undefined && strict) throw unknown(names, name);
    if (name === null || type === undefined) continue;
    const value = decode(name, equals < 0 ? '' : part.slice(equals + 1))!;
    if (isList(type)) sent[name] = [...(sent[name] ?? []), value];
    else if (name in sent) throw invalidParameter(name, 'one value', 'the parameter twice');
    else if (value === '') throw invalidParameter(name, 'a value', 'none');
    else sent[name] = value;
  }
  return sent;
}

function isList(type: z.ZodType): boolean {
  return type instanceof z.ZodArray || (type instanceof z.ZodOptional && type.unwrap() instanceof z.ZodArray);
}

function unknown(names: readonly string[], written: string): Problem {
  const listed = `the parameter${names.length > 1 ? 's' : ''} ${names.join(', ')}`;
  const expected = names.length === 0 ? 'no parameters' : listed;
  const found = written === '' ? 'an empty one' : quoted(written);
  return new Problem('unknown_parameter', `This path takes ${expected}, found ${found}.`);
}

/** `name`: of the parameter, for the problem; null where text that cannot be decoded is ignored. */
function decode(name: string | null, text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    if (name === null) return null;
    throw invalidParameter(name, 'UTF-8 in percent-encoding', quoted(text));
  }
}

/** A choice says its values; what anything else expects stands where it is declared. */
function expectedBy(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_value') return issue.message;
  const values = issue.values.map(String);
  return values.length > 2 ? `one of ${values.join(', ')}` : values.join(' or ');
}

function foundAt(value: string | string[] | undefined): string {
  if (value === undefined) return 'none';
  const text = Array.isArray(value) ? value.join(', ') : value;
  // A plus sign that is not percent-encoded becomes a space.
  const hint = /^[\dT:.Z-]* [\dT:.Z -]*$/.test(text) ? ' (write a plus sign in an address as %2B)' : '';
  return `${quoted(text)}${hint}`;
}
