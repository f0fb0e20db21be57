import * as z from 'zod/mini';
import { counted } from './number.ts';

// zod/mini has no language of its own: every message would be “Invalid input”.
z.config(z.locales.en());

/** What a schema expected: `at most 10`, `one of support, oppose`. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  return EXPECTATIONS[issue.code]?.(issue) ?? issue.message;
}

// biome-ignore lint/suspicious/noExplicitAny: each issue is given to the entry of its own code, which types cannot follow through a table.
const EXPECTATIONS: Record<string, (issue: any) => string> = {
  invalid_type: ({ expected }) => INDEFINITE[expected as string] ?? `a ${expected}`,
  invalid_value: ({ values }) => (values.length === 1 ? '' : 'one of ') + values.join(', '),
  too_small: ({ origin, minimum }) => limited('at least', minimum, UNITS[origin]),
  too_big: ({ origin, maximum }) => limited('at most', maximum, UNITS[origin]),
  unrecognized_keys: ({ keys }) => `one without the member ${keys.join(', ')}`,
  invalid_key: ({ issues }) => `a name that is ${describeIssue(issues[0])}`,
  invalid_format: ({ format, message }) =>
    format === 'regex' ? message : (FORMATS[format] ?? `a valid ${format}`),
};
const FORMATS: Record<string, string> = {
  datetime: 'a UTC time like 2025-12-01T06:00:00Z',
  date: 'a day like 2025-12-01',
  duration: 'an ISO 8601 duration like P1D',
  guid: 'a UUID',
  url: 'an address like https://example.org',
  email: 'an e-mail address',
};
const INDEFINITE: Record<string, string> = {
  int: 'a whole number',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};

/** What has a length, and what it is counted in. */
const UNITS: Record<string, [thing: string, unit: string]> = {
  string: ['a text', 'character'],
  array: ['a list', 'element'],
};

function limited(how: string, limit: number, [thing, unit]: [string?, string?] = []): string {
  return unit === undefined ? `${how} ${limit}` : `${thing} of ${how} ${counted(limit, unit)}`;
}
