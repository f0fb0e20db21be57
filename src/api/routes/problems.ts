import { PROBLEMS, type ProblemCode } from '../problem.ts';
import { isStrict, parametersOf } from '../query/query.ts';
import { keyAreasOf } from '../tiers.ts';
import type { Route } from './route.ts';

/** Problems that any request may have, with whatever path. */
export const ANYWHERE = [
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'http_version_not_supported',
] as const satisfies readonly ProblemCode[];

/** The problems that a route may answer, by status in ascending order: what follows from its row, and those that the row names. */
export function problemsOf(route: Route): ReadonlyMap<number, readonly ProblemCode[]> {
  const { access, area, areas, kind, query, problems } = route;
  const isRefused = query !== null && isStrict(query);
  const isCounted = access !== 'open';
  const when: [boolean, readonly ProblemCode[]][] = [
    [true, ['bad_request', 'key_in_query', 'invalid_authorization', 'method_not_allowed']],
    [isRefused, ['unknown_parameter']],
    [query !== null && Object.keys(parametersOf(query)).length > 0, ['invalid_parameter']],
    [access === 'key', ['key_required']],
    [true, ['invalid_token', 'unknown_scheme', 'key_not_checked']],
    [isCounted && keyAreasOf(areas ?? (area ? [area] : [])).length > 0, ['insufficient_scope']],
    [kind === 'file', ['precondition_failed', 'range_not_satisfiable']],
    [access === 'counted', ['rate_limited', 'request_not_counted']],
    // Whatever the path, behind a proxy where a client has too many requests open.
    [true, ['overloaded']],
    [kind === 'file' || kind === 'made', ['unavailable']],
    [access === 'key', ['access_not_logged']],
    [true, problems],
  ];
  const all = new Set(when.flatMap(([is, codes]) => (is ? codes : [])));
  // In the order of the table of problems, so that equal sets are spelled in one way.
  const codes = (Object.keys(PROBLEMS) as ProblemCode[]).filter((code) => all.has(code));
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code].status as number);
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}
