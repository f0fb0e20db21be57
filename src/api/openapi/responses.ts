import { z } from 'zod';
import { formatProblem, PROBLEM_MEDIA_TYPE, PROBLEMS, type ProblemCode } from '../problem.ts';
import { type HeaderName, referToHeaders } from './headers.ts';
import { type Answer, type Example, type Operation, refer } from './operation.ts';

/** For a file that is not counted: a range of it, and the response to a client that has it. */
export const NOT_COUNTED: Operation['responses'] = {
  '206': refer('responses', 'PartOfFile'),
  '304': {
    description: 'The file has not changed.',
    headers: referToHeaders(['ETag', 'Last-Modified', 'Cache-Control']),
  },
};

/** A problem document (RFC 9457) as `formatProblem` writes it; members may be added. */
export const ProblemDocument = z.object({
  type: z.string().meta({
    description: 'Page of the code, as a path from the root',
    examples: ['/problems/not_found/'],
  }),
  title: z
    .string()
    .meta({ description: 'What is wrong, in a few words; the same for every document with this code' }),
  status: z.int().min(400).max(599).meta({ description: 'Status of the response' }),
  detail: z.string().meta({ description: 'What is wrong with this request, for people' }),
  instance: z
    .string()
    .optional()
    .meta({ description: 'The requested path, without its query; missing if it is not known' }),
  code: z
    .enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]])
    .meta({ description: 'For programs; a code never changes its meaning' }),
});

interface ProblemResponse {
  /** All with one status. */
  codes: readonly ProblemCode[];
  headers?: readonly HeaderName[];
}

const BAD_REQUEST = ['bad_request', 'unknown_parameter', 'key_in_query', 'invalid_authorization'] as const;
const UNAVAILABLE = ['overloaded', 'request_not_counted', 'key_not_checked', 'unavailable'] as const;

/** Responses that are problem documents, by component name. */
const RESPONSES = {
  BadRequest: { codes: BAD_REQUEST, headers: ['WWW-Authenticate'] },
  BadQuery: {
    codes: [...BAD_REQUEST, 'invalid_parameter', 'invalid_filter'],
    headers: ['WWW-Authenticate'],
  },
  BadState: { codes: [...BAD_REQUEST, 'invalid_parameter'], headers: ['WWW-Authenticate'] },
  BadVersion: { codes: [...BAD_REQUEST, 'invalid_parameter'], headers: ['WWW-Authenticate'] },
  BadStream: { codes: [...BAD_REQUEST, 'invalid_parameter'], headers: ['WWW-Authenticate'] },
  InvalidKey: { codes: ['invalid_token', 'unknown_scheme'], headers: ['WWW-Authenticate'] },
  KeyRequired: {
    codes: ['key_required', 'invalid_token', 'unknown_scheme'],
    headers: ['WWW-Authenticate'],
  },
  WrongArea: { codes: ['insufficient_scope'], headers: ['WWW-Authenticate'] },
  NotFound: { codes: ['not_found'] },
  NoVersion: { codes: ['not_found', 'before_first_snapshot', 'version_not_kept'] },
  MethodNotAllowed: { codes: ['method_not_allowed'], headers: ['Allow'] },
  PreconditionFailed: { codes: ['precondition_failed'] },
  ContentTooLarge: { codes: ['content_too_large'] },
  UnsupportedMediaType: { codes: ['unsupported_media_type'] },
  RangeNotSatisfiable: { codes: ['range_not_satisfiable'], headers: ['Content-Range'] },
  LimitReached: {
    codes: ['rate_limited'],
    headers: ['RateLimit-Policy', 'RateLimit', 'Retry-After'],
  },
  FormatNotOffered: { codes: ['format_not_offered'] },
  Unavailable: { codes: UNAVAILABLE, headers: ['Retry-After'] },
  RestrictedUnavailable: { codes: [...UNAVAILABLE, 'access_not_logged'], headers: ['Retry-After'] },
  StreamUnavailable: {
    codes: ['too_many_listeners', 'key_not_checked', 'unavailable'],
    headers: ['Retry-After'],
  },
  NoRunYet: { codes: ['unavailable'], headers: ['Retry-After'] },
} as const satisfies Record<string, ProblemResponse>;

/** The `default` of every operation: problems that any request may have. */
const ANYWHERE = [
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'http_version_not_supported',
] as const;

export type ProblemResponseName = keyof typeof RESPONSES;

export function statusOf(name: ProblemResponseName): string {
  return String(PROBLEMS[RESPONSES[name].codes[0]].status);
}

/** References to problem responses by status, for an operation. */
export function problemsByStatus(names: readonly ProblemResponseName[]): Operation['responses'] {
  const own = names.map((name) => [statusOf(name), refer('responses', name)]);
  return Object.fromEntries([...own, ['default', refer('responses', 'AnyProblem')]]);
}

/** The problems among `components.responses`. */
export function problemResponses(): Record<string, Answer> {
  const entries: [string, ProblemResponse][] = Object.entries(RESPONSES);
  return Object.fromEntries([
    ...entries.map(([name, response]) => [name, describe(response)]),
    ['AnyProblem', describe({ codes: ANYWHERE })],
  ]);
}

/** `components.examples`: a document of each code, as the service writes it. */
export function problemExamples(): Record<string, Example> {
  const entries = Object.entries(PROBLEMS) as [ProblemCode, (typeof PROBLEMS)[ProblemCode]][];
  return Object.fromEntries(
    entries.map(([code, { title, example }]) => [
      code,
      {
        summary: title,
        value: JSON.parse(formatProblem({ code, message: example.detail }, example.instance)),
      },
    ]),
  );
}

function describe({ codes, headers = [] }: ProblemResponse): Answer {
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join(' '),
    headers: referToHeaders([...headers, 'X-Request-Id']),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: refer('schemas', 'Problem'),
        examples: Object.fromEntries(codes.map((code) => [code, refer('examples', code)])),
      },
    },
    'x-problem-codes': codes,
  };
}

/** What else may answer a request for a chart in the state of its address. */
export const STATE_RESPONSES: Operation['responses'] = {
  ...NOT_COUNTED,
  ...problemsByStatus([
    'BadState',
    'InvalidKey',
    'NotFound',
    'MethodNotAllowed',
    'PreconditionFailed',
    'RangeNotSatisfiable',
    'Unavailable',
  ]),
};
