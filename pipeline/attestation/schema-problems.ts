import type * as z from 'zod/mini';
import { counted } from '../words/number.ts';
import '../words/zod-messages.ts';
import type { Json } from './limited-json.ts';
import { MAX_PROBLEMS, type Problem, type ProblemCode, problem, quote } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** Problem codes by zod's issue codes. Other issues are wrong values. */
const CODES: Readonly<Record<string, ProblemCode>> = {
  invalid_type: 'wrong_type',
  invalid_value: 'wrong_value',
  invalid_format: 'wrong_pattern',
  unrecognized_keys: 'unknown_member',
  too_small: 'out_of_range',
  too_big: 'out_of_range',
};

/** The schema problems of `document`, up to the reported maximum. */
export function schemaProblems(issues: readonly Issue[], document: Json): Problem[] {
  const problems: Problem[] = [];
  for (const issue of issues) {
    const room = MAX_PROBLEMS - problems.length;
    if (room <= 0) break;
    problems.push(...problemsOf(issue, document, room));
  }
  return problems;
}

function problemsOf(issue: Issue, document: Json, room: number): Problem[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys')
    return issue.keys
      .slice(0, room)
      .map((name) => problem('unknown_member', [...path, name], `The schema has no member ${quote(name)}.`));
  const value = lookUp(document, path);
  if (value === undefined && path.length > 0)
    return [problem('missing_member', path, `The member ${quote(path.at(-1))} is required but missing.`)];
  return [problem(codeOf(issue), path, `Expected ${expectationOf(issue)}, found ${quote(value)}.`)];
}

function codeOf(issue: Issue): ProblemCode {
  if (issue.code === 'too_small' && issue.origin === 'array') return 'too_few_items';
  if (issue.code === 'custom') return (issue.params?.code as ProblemCode | undefined) ?? 'wrong_value';
  return CODES[issue.code] ?? 'wrong_value';
}

function expectationOf(issue: Issue): string {
  if (issue.code === 'invalid_type') return issue.expected;
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value)).join(' or ');
  if (issue.code === 'too_small') return `at least ${sizeOf(issue.origin, issue.minimum)}`;
  if (issue.code === 'too_big') return `at most ${sizeOf(issue.origin, issue.maximum)}`;
  return issue.message;
}

function sizeOf(origin: string, size: number | bigint): string {
  return origin === 'array' ? counted(size, 'item') : `${size}`;
}

function lookUp(document: Json, path: readonly PropertyKey[]): unknown {
  let value: unknown = document;
  for (const step of path) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, step);
    value = isThere ? (value as Record<PropertyKey, unknown>)[step] : undefined;
  }
  return value;
}
