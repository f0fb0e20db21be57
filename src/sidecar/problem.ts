/** What a client is told when it gets no file: RFC 9457 problem documents, each with a stable code. */
export const PROBLEMS = {
  bad_request: { status: 400, title: 'The request cannot be read' },
  unknown_parameter: { status: 400, title: 'This path takes no such parameter' },
  key_required: { status: 401, title: 'This path needs a key' },
  invalid_token: { status: 401, title: 'The key is not valid' },
  not_found: { status: 404, title: 'There is nothing at this path' },
  method_not_allowed: { status: 405, title: 'This service is read with GET and HEAD' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  precondition_failed: { status: 412, title: 'The file is another one than the request asks for' },
  range_not_satisfiable: { status: 416, title: 'The file has no such bytes' },
  headers_too_large: { status: 431, title: 'The headers are too long' },
  internal_error: { status: 500, title: 'The service failed to answer' },
  unavailable: { status: 503, title: 'There is no release yet' },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

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

/** `instance` is the path that was asked for, without its query, which may hold a secret; none where it is not known. */
export function formatProblem({ code, message }: Problem, instance?: string): string {
  const { status, title } = PROBLEMS[code];
  return `${JSON.stringify({ type: 'about:blank', title, status, detail: message, instance, code })}\n`;
}
