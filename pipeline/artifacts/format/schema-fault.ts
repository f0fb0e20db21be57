import type * as z from 'zod/mini';
import type { Fault } from '../../errors.ts';
import { describeIssue } from '../../words/zod-messages.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The first mismatch between `value` and its schema; place is `<place>: articles[3].title`. */
export function schemaFault(place: string, error: z.core.$ZodError, value: unknown): Fault {
  const issue = error.issues[0] as Issue;
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] as string] : issue.path;
  return { place: formatPlace(place, path), expected: expectation(issue), found: describe(at(value, path)) };
}

/** `['articles', 3, 'title']` in `x.json` → `x.json: articles[3].title`; the file alone for the whole value. */
export function formatPlace(place: string, path: Path): string {
  if (path.length === 0) return place;
  const steps = path.map((key) => {
    if (typeof key === 'number') return `[${key}]`;
    return /^[A-Za-z_$][\w$]*$/.test(String(key)) ? `.${String(key)}` : `[${JSON.stringify(String(key))}]`;
  });
  return `${place}: ${steps.join('').replace(/^\./, '')}`;
}

/** A value for a message: short, on one line. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function expectation(issue: Issue): string {
  if (issue.code === 'unrecognized_keys') return 'no member of this name';
  return describeIssue(issue)
    .replace(/^.*?\bexpected /i, '')
    .replace(/^Invalid /, 'a valid ');
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined;
    return (inner as Record<PropertyKey, unknown>)[key];
  }, value);
}
