import { CathedralError } from '../../pipeline/errors.ts';

interface ProblemEntry {
  status: number;
  title: string;
  /** For the page of the code: what happened, with `` `code` ``; an empty line separates paragraphs. */
  meaning: string;
  /** What the client can do now. */
  remedy: string;
  /** What is wrong with a request: of an example, and wherever nothing more particular is said. */
  detail: string;
  /** Of an example: the requested path. Default: /economy/supply. */
  instance?: string;
  /** How long to wait, s, unless the answer says otherwise. */
  retryAfterS?: number;
}

/** Why a client gets no file, by the stable code of problem documents. */
const PROBLEMS = {
  bad_request: {
    status: 400,
    title: 'The request is malformed',
    meaning:
      'The path is not percent-encoded UTF-8, contains an encoded separator, or the bytes on the connection are not HTTP.',
    remedy:
      'Write the path as in the reference. If a program builds it, encode each segment separately and once.',
    instance: '/economy%2fsupply',
    detail: 'The path is malformed.',
  },
  unknown_parameter: {
    status: 400,
    title: 'Unknown parameter',
    meaning:
      'The query has a parameter that this path does not take. Data files take only `as_of` and `sha256`, which ask for an earlier version. If misspelt parameters were ignored, you would silently get a different answer from the one you asked for.',
    remedy: 'Correct the name or leave it out. The reference lists the parameters of each path.',
    instance: '/economy/mic-history.csv',
    detail: 'This path takes the parameters as_of, sha256, found "asof".',
  },
  invalid_parameter: {
    status: 400,
    title: 'Invalid parameter value',
    meaning:
      'The path takes the parameter, but not this value: a date or a format does not exist, the start is after the end, or the parameter occurs twice. The detail names it.',
    remedy:
      'Correct the value. Write dates as `2025-12-01`, which is the whole day in UTC, or as `2025-12-01T06:00:00Z`. Write a plus sign in an address as `%2B`.',
    instance: '/government/ledger/export',
    detail:
      'The parameter from: expected a date like 2025-12-01 or a date-time like 2025-12-01T06:00:00Z, found "2025-12".',
  },
  invalid_filter: {
    status: 400,
    title: 'Invalid filter',
    meaning:
      'The parameter `filter` is not an RSQL expression, uses an unknown field or operator, or is too long or too deeply nested. The detail says where.',
    remedy:
      'Write comparisons of `event_type`, `agent`, `cycle` or `attestation_hash`, joined by ; (and) or , (or), for example `event_type==attestation;agent=in=(ATLAS,AUREA)`. Percent-encode the whole value.',
    instance: '/government/ledger/export',
    detail:
      'The filter, character 1: expected one of event_type, agent, cycle, attestation_hash, found "sentinel".',
  },
  key_in_query: {
    status: 400,
    title: 'API key in the address',
    meaning:
      'The query has a parameter for keys, or a value that looks like a key. Addresses are stored in histories and in the logs of every machine on the way, so the service refuses a key there even if it is valid (RFC 6750 §2.3 advises against it).',
    remedy:
      'Send the key in the header, `Authorization: Bearer <key>`. Ask for a rotation of a key that was sent in an address: others may have seen it.',
    detail: 'Send the key in the Authorization header, and ask for a rotation of this one.',
  },
  invalid_authorization: {
    status: 400,
    title: 'Malformed Authorization header',
    meaning: 'The request has more than one Authorization header, or not exactly one key after Bearer.',
    remedy: 'Send one header with one key: `Authorization: Bearer <key>`.',
    detail: 'Send exactly one key after Bearer.',
  },
  key_required: {
    status: 401,
    title: 'API key required',
    meaning: 'The path is restricted, and the request has no key.',
    remedy:
      'Send a key in the header, `Authorization: Bearer <key>`. Government offices get keys for the restricted files; the API reference says how to ask for one.',
    instance: '/government/compliance-report.json',
    detail: 'Send a key: Authorization: Bearer <key>.',
  },
  unknown_scheme: {
    status: 401,
    title: 'Unknown authorization scheme',
    meaning:
      'The Authorization header has a scheme other than Bearer, for example Basic, which a user name in the address or an entry in a `.netrc` file can cause.',
    remedy:
      'Send no Authorization header to public paths, and `Authorization: Bearer <key>` to restricted ones.',
    detail: 'Send Authorization: Bearer <key>, or no Authorization header.',
  },
  invalid_token: {
    status: 401,
    title: 'Invalid API key',
    meaning:
      'The key is mistyped, unknown, expired or revoked; the detail says which. Public paths refuse it, too, so that nobody mistakes the anonymous quota for the quota of the key.',
    remedy:
      'Compare the key with the one that you received. An expired or revoked key stays so: ask for a new one. Public paths need no key.',
    detail: 'The key is mistyped or cut short: its checksum does not match.',
  },
  insufficient_scope: {
    status: 403,
    title: 'API key for another area',
    meaning: 'The key is valid, but not for the area of this path; the detail names its areas.',
    remedy: 'Send no key to public paths, or ask for a key for this area.',
    instance: '/government/policy-impact.json',
    detail: 'The key is valid for economy, not for government.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'The release has no file at this path. Paths must match exactly, including case and slashes.',
    remedy:
      'Look the path up in the reference or in the portal of its area. The transparency report of a year appears when the year has ended.',
    instance: '/economy/suply',
    detail: 'No file is published at this path.',
  },
  before_first_snapshot: {
    status: 404,
    title: 'Before the first snapshot',
    meaning:
      'The request asks for a file as it was before the first snapshot that this service keeps, and the file has changed since. The detail names that snapshot.',
    remedy: 'Ask for a later time. Earlier states follow from the ledger: `cathedral as-of` rebuilds them.',
    instance: '/economy/mic-history.csv',
    detail:
      'The first snapshot is 2025-12-01T06Z, after 2025-11-01T00Z: /snapshots/2025-12-01T06Z/economy/mic-history.csv.',
  },
  version_not_kept: {
    status: 404,
    title: 'Version not kept',
    meaning:
      'The request asks for an earlier version of a file, by its time or by its SHA-256, and no snapshot has it. Of the months that ended more than a year ago, only the last snapshot is kept. The detail names the nearest snapshots before and after the time.',
    remedy:
      'Use one of the addresses in the detail if its time will do. Otherwise rebuild the snapshot from the ledger with `cathedral as-of`.',
    instance: '/economy/mic-history.csv',
    detail:
      'No snapshot of 2025-12-10T06Z is kept, and the file has changed since the one before. The nearest: /snapshots/2025-11-30T18Z/economy/mic-history.csv, /snapshots/2025-12-31T18Z/economy/mic-history.csv.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning:
      'The service is read-only: it answers `GET`, `HEAD` and `OPTIONS`. One path takes only `POST`: it verifies Companion Attestations, and stores nothing of what it receives.',
    remedy: 'Use `GET`. The `Allow` header of the response lists the methods of this path.',
    detail: 'POST is not one of GET, HEAD, OPTIONS.',
  },
  request_timeout: {
    status: 408,
    title: 'Request timeout',
    meaning: 'The whole request did not arrive in time, and the server closed the connection.',
    remedy:
      'Send it again. If this happens often, the connection loses data, or a proxy on the way delays it.',
    detail: 'The request could not be read.',
  },
  precondition_failed: {
    status: 412,
    title: 'Precondition failed',
    meaning:
      'The request has `If-Match` or `If-Unmodified-Since`, and the file has changed since: a new release was published in between.',
    remedy:
      'Request the file again without the condition, and continue with the ETag of that response. Do not combine parts of two releases.',
    instance: '/economy/mic-history.csv',
    detail: 'The file has changed.',
  },
  content_too_large: {
    status: 413,
    title: 'Document too large',
    meaning: 'The request body is longer than a Companion Attestation may be.',
    remedy:
      'Send only the document, without unnecessary space. If its justification is long, send its hash instead.',
    instance: '/attestations/verify',
    detail: 'The document may have at most 65536 bytes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning:
      'The `Content-Type` of the request is not `application/json`, or the body is compressed. `Accept-Post` or `Accept-Encoding` in the response says what the path takes.',
    remedy:
      'Send the document uncompressed, with `Content-Type: application/json`. With curl: `--data-binary @signed.json -H "Content-Type: application/json"`.',
    instance: '/attestations/verify',
    detail: 'Send the document as application/json; found "application/x-www-form-urlencoded".',
  },
  range_not_satisfiable: {
    status: 416,
    title: 'Range not satisfiable',
    meaning: 'The range starts after the end of the file. `Content-Range` gives the length of the file.',
    remedy:
      'Request a range within the file, with `If-Range` and the ETag of the part that you have: if the file has changed, you get the whole file.',
    instance: '/economy/mic-history.csv',
    detail: 'The file has 152311 bytes.',
  },
  rate_limited: {
    status: 429,
    title: 'Quota used up',
    meaning:
      'The holder of this key, or without a key this network, has used the daily quota of this area. Each area has its own quota. The day ends at midnight UTC.',
    remedy:
      'Wait for the number of seconds in `Retry-After`. Keep what you have, and request only changes, with `If-None-Match`. If the quota is too small, ask for a key. An address that many people share counts as one.',
    detail: 'The 100 requests of this day for economy are used up; the next day begins at 00:00 UTC.',
  },
  headers_too_large: {
    status: 431,
    title: 'Request headers too large',
    meaning: 'The request headers are longer than 16 kB in total.',
    remedy: 'Leave out headers that this service does not read, above all cookies, which it never sets.',
    detail: 'The request could not be read.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    meaning: 'The service failed, and the error is in its log.',
    remedy:
      'Try again later. If the error persists, write to the contact in `/.well-known/security.txt` and give the time.',
    detail: 'The service failed; the error was logged.',
  },
  unavailable: {
    status: 503,
    retryAfterS: 30,
    title: 'Unavailable',
    meaning:
      'The service cannot answer now: its first release is being built, what this path needs is out of reach, or no server is running.',
    remedy: 'Try again after the number of seconds in `Retry-After`.',
    detail: 'The first release is being built.',
  },
  overloaded: {
    status: 503,
    // A place is often free by then.
    retryAfterS: 10,
    title: 'Overloaded',
    meaning:
      'The server has more requests than it can answer in time, so it refuses some at once: first requests without a key, last those with a government key. The number of exports, downloads and connections at once is limited as well, in total and per client; the detail names the limit. A refused request is not counted.',
    remedy:
      'Try again after the number of seconds in `Retry-After`, and wait longer each time. Send requests one after another rather than many at once.',
    detail: 'The server is handling too many requests.',
  },
  format_not_offered: {
    status: 501,
    title: 'Format not offered',
    meaning:
      'The request asks for an oEmbed document in a format that the service does not offer; the oEmbed specification defines this status for it.',
    remedy: 'Request `format=json`, or leave the parameter out.',
    instance: '/oembed',
    detail: 'The format "xml" is not offered; json is.',
  },
  too_many_listeners: {
    status: 503,
    retryAfterS: 30,
    title: 'Too many listeners',
    meaning: 'The live stream has reached its maximum number of listeners, in total or for this network.',
    remedy:
      'Try again after the number of seconds in `Retry-After`, and share one stream among your programs. Until then, request the real-time paths, which have the same values.',
    instance: '/live',
    detail: 'The server cannot accept more listeners now.',
  },
  request_not_counted: {
    status: 503,
    retryAfterS: 30,
    title: 'Request not counted',
    meaning:
      'Requests for this data are limited, and the server cannot store the count now. It sends no data that it cannot count.',
    remedy:
      'Try again after the number of seconds in `Retry-After`. Pages are not counted, and still available.',
    detail: 'The server cannot count requests at present.',
  },
  key_not_checked: {
    status: 503,
    // A key store that is being replaced or restored is back in about this time.
    retryAfterS: 30,
    title: 'API key not checked',
    meaning: 'The request has a key, and the server cannot read its key store now.',
    remedy:
      'Try again after the number of seconds in `Retry-After`. Meanwhile, request public paths without a key.',
    detail: 'Keys cannot be checked now.',
  },
  access_not_logged: {
    status: 503,
    // A full disk is not emptied sooner.
    retryAfterS: 30,
    title: 'Access not recorded',
    meaning:
      'The server records each access to restricted data before it answers, and cannot write the record now.',
    remedy: 'Try again after the number of seconds in `Retry-After`. Public data is still available.',
    instance: '/government/compliance-report.json',
    detail: 'Access to this path cannot be recorded now.',
  },
  http_version_not_supported: {
    status: 505,
    title: 'HTTP version not supported',
    meaning: 'The request line names a version other than HTTP/1.1 or HTTP/1.0.',
    remedy:
      'Send HTTP/1.1. A client negotiates HTTP/2 with the proxy in front of the service, not by a version in the request line.',
    detail: 'Send HTTP/1.1, not HTTP/2.0.',
  },
} as const satisfies Readonly<Record<string, ProblemEntry>>;

type ProblemCode = keyof typeof PROBLEMS;

export { PROBLEMS, type ProblemCode };

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** An answer other than the file; thrown anywhere while a request is handled. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly headers: Record<string, string>;

  /** The client reads `detail`. A `cause` goes to the server log. */
  constructor(
    code: ProblemCode,
    detail: string = PROBLEMS[code].detail,
    headers: Record<string, string> = {},
    options: ErrorOptions = {},
  ) {
    super(detail, options);
    this.name = 'Problem';
    this.code = code;
    const { retryAfterS }: ProblemEntry = PROBLEMS[code];
    this.headers = { ...(retryAfterS && { 'Retry-After': String(retryAfterS) }), ...headers };
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** The answer to a request that failed on the server. The caller logs the cause. */
export function problemOfFault(error: unknown): Problem {
  const isOfKeys = error instanceof CathedralError && error.code === 'keys_unreadable';
  return new Problem(isOfKeys ? 'key_not_checked' : 'internal_error');
}

/**
 * The page of a code: a path from the root, as RFC 9457 §3.1.1 advises for relative references, so that it also leads to a
 * page on another host name and in a mirror.
 */
export function problemPage(code: ProblemCode): string {
  return `/problems/${code}/`;
}

/** `instance` is the requested path, if it is known; without its query, which may contain a secret. */
export function formatProblem(
  { code, message }: Pick<Problem, 'code' | 'message'>,
  instance?: string,
): string {
  const { status, title } = PROBLEMS[code];
  return `${JSON.stringify({ type: problemPage(code), title, status, detail: message, instance, code })}\n`;
}

/** A document with a code. */
export function exampleOfProblem(code: ProblemCode): unknown {
  const { detail: message, instance = '/economy/supply' }: ProblemEntry = PROBLEMS[code];
  return JSON.parse(formatProblem({ code, message }, instance));
}
