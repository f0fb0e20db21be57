import { CathedralError } from '../../pipeline/errors.ts';
import { PROBLEMS, type ProblemCode } from './problems.ts';

export { PROBLEMS, type ProblemCode };

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** A key store that was removed or is being put back is there again in about that time. */
const RETRY_AFTER_S = 30;

/** An answer that is not the file: thrown anywhere below a request's handler. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly headers: Record<string, string>;

  /** `detail` is read by whoever sent the request. */
  constructor(code: ProblemCode, detail: string, headers: Record<string, string> = {}) {
    super(detail);
    this.name = 'Problem';
    this.code = code;
    this.headers = headers;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** The answer to a request that failed through no fault of whoever sent it. The cause is for the server's own log. */
export function problemOfFault(error: unknown): Problem {
  if (error instanceof CathedralError && error.code === 'keys_unreadable') {
    const headers = { 'Retry-After': String(RETRY_AFTER_S) };
    return new Problem('key_not_checked', 'Keys cannot be checked now.', headers);
  }
  return new Problem('internal_error', 'The fault is ours; it was logged.');
}

/**
 * The page of a code. A path from the root, as RFC 9457 §3.1.1 advises for references that are not absolute: behind
 * another host name, and in a mirror, it still leads to a page.
 */
export function problemPage(code: ProblemCode): string {
  return `/problems/${code}/`;
}

/** `instance` is the path that was asked for, without its query, which may hold a secret; none where it is not known. */
export function formatProblem(
  { code, message }: Pick<Problem, 'code' | 'message'>,
  instance?: string,
): string {
  const { status, title } = PROBLEMS[code];
  return `${JSON.stringify({ type: problemPage(code), title, status, detail: message, instance, code })}\n`;
}
