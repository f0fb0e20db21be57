import { CathedralError } from '../../pipeline/errors.ts';

interface ProblemEntry {
  status: number;
  title: string;
  /** For the page of the code: what has happened. Plain text; an empty line parts paragraphs. */
  meaning: string;
  /** What whoever sent the request can do now. */
  remedy: string;
  /** A document of this code as it is sent: the path that was asked for, and what is said about it. */
  example: { instance: string; detail: string };
}

/** What a client is told when it gets no file, by the stable code that problem documents have. */
const PROBLEMS = {
  bad_request: {
    status: 400,
    title: 'The request cannot be read',
    meaning:
      'The path is not UTF-8 in percent-encoding, hides a separator or a step to a parent folder in it, or what came over the connection is no HTTP.',
    remedy:
      'Write the path as the reference has it. If a program put it together, encode each segment by itself, once.',
    example: { instance: '/economy%2fsupply', detail: 'The path is not well-formed.' },
  },
  unknown_parameter: {
    status: 400,
    title: 'This path takes no such parameter',
    meaning:
      'The address has a query with a parameter that this path does not take. Data files take none. A parameter that is misspelt would otherwise be ignored, and the answer would be another one than you think.',
    remedy: 'Correct the name or leave it out. The reference lists the parameters of each path.',
    example: { instance: '/economy/mic-history.csv', detail: 'A data file takes no parameters.' },
  },
  invalid_parameter: {
    status: 400,
    title: 'A parameter has a value that it cannot have',
    meaning:
      'A parameter is known, but its value is not one that it takes: a date that does not exist, a format that there is not, a beginning after the end, or the same parameter twice. The detail names it.',
    remedy:
      'Correct the value. Dates are written 2025-12-01, which is the whole day in UTC, or 2025-12-01T06:00:00Z; a plus sign in an address has to be written %2B.',
    example: {
      instance: '/government/ledger/export',
      detail:
        'The parameter from: expected a date like 2025-12-01 or a date-time like 2025-12-01T06:00:00Z, found "2025-12".',
    },
  },
  invalid_filter: {
    status: 400,
    title: 'The filter cannot be read',
    meaning:
      'The parameter filter is not an RSQL expression, uses a field or an operator that there is not, or is too long or too deeply nested. The detail says where.',
    remedy:
      'Write comparisons of event_type, agent, cycle or attestation_hash, joined by ; (and) or , (or), for example event_type==mic_mint;agent=in=(ATLAS,AUREA). Percent-encode the whole value.',
    example: {
      instance: '/government/ledger/export',
      detail:
        'The filter, character 1: expected one of event_type, agent, cycle, attestation_hash, found "sentinel".',
    },
  },
  key_in_query: {
    status: 400,
    title: 'A key must not stand in an address',
    meaning:
      'The query has a parameter for keys, or a value that looks like one. Addresses end up in histories and in the logs of every machine on the way, so a key there is refused even where it is good (RFC 6750 §2.3 advises against it).',
    remedy:
      'Send the key in the header, Authorization: Bearer <key>. Have a key that was sent in an address rotated: others may have seen it.',
    example: {
      instance: '/economy/supply',
      detail: 'Send the key in the Authorization header, and have this one rotated.',
    },
  },
  invalid_authorization: {
    status: 400,
    title: 'The Authorization header cannot be read',
    meaning: 'There is more than one Authorization header, or there is not exactly one key after Bearer.',
    remedy: 'Send one header with one key: Authorization: Bearer <key>.',
    example: { instance: '/economy/supply', detail: 'Send exactly one key after Bearer.' },
  },
  key_required: {
    status: 401,
    title: 'This path needs a key',
    meaning: 'The path is restricted and the request came without a key.',
    remedy:
      'Send a key in the header, Authorization: Bearer <key>. Keys for the restricted files are given to government offices; how to ask for one is told in the guide to keys.',
    example: {
      instance: '/government/compliance-report.json',
      detail: 'Send a key: Authorization: Bearer <key>.',
    },
  },
  unknown_scheme: {
    status: 401,
    title: 'Only Bearer keys are known here',
    meaning:
      'The Authorization header has another scheme than Bearer, Basic for example, which a user name in the address or an entry in a .netrc file can cause.',
    remedy: 'Read public paths without the header, restricted ones with Authorization: Bearer <key>.',
    example: {
      instance: '/economy/supply',
      detail: 'Send Authorization: Bearer <key>, or no Authorization header.',
    },
  },
  invalid_token: {
    status: 401,
    title: 'The key is not valid',
    meaning:
      'The key is mistyped, unknown, expired or revoked; the detail says which. It is refused on public paths too, so that nobody takes the anonymous limit for the one of a key.',
    remedy:
      'Compare the key with the one that you were given. An expired or revoked key cannot be revived: ask for a new one. Public paths can be read without a key.',
    example: {
      instance: '/economy/supply',
      detail: 'The key is mistyped or cut short: its checksum does not fit.',
    },
  },
  insufficient_scope: {
    status: 403,
    title: 'The key is not for this area',
    meaning: 'The key is good, but not for the area of this path; the detail names its areas.',
    remedy: 'Leave the header out on public paths, or ask for a key of this area.',
    example: {
      instance: '/government/policy-impact.json',
      detail: 'The key is for economy, not for government.',
    },
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this path',
    meaning: 'No file of that name is in the release. Paths are exact, capitals and slashes too.',
    remedy:
      'Look the path up in the reference or on the page of its area. A year of the transparency report is there once the year has ended.',
    example: { instance: '/economy/suply', detail: 'No file of this name is published.' },
  },
  method_not_allowed: {
    status: 405,
    title: 'This path does not take the method',
    meaning:
      'The service is read-only: it answers GET, HEAD and OPTIONS. One path takes POST and nothing else, the one that verifies Companion Attestations; nothing of what is sent there is kept.',
    remedy: 'Use GET. The Allow header of the answer names the methods that this path takes.',
    example: { instance: '/economy/supply', detail: 'POST is not one of GET, HEAD, OPTIONS.' },
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'The request was not there as a whole in time, and the connection was closed.',
    remedy: 'Send it again. If it happens often, the connection loses data, or a proxy on the way holds it.',
    example: { instance: '/economy/supply', detail: 'The request could not be read.' },
  },
  precondition_failed: {
    status: 412,
    title: 'The file is another one than the request asks for',
    meaning:
      'The request has If-Match or If-Unmodified-Since, and the file is not, or no longer, the one that this describes: a new release came in between.',
    remedy:
      'Read the file anew, without the condition, and go on with the ETag of that answer. Parts of two releases do not belong together.',
    example: { instance: '/economy/mic-history.csv', detail: 'The file has changed, or is another one.' },
  },
  content_too_large: {
    status: 413,
    title: 'The document is too large',
    meaning: 'The body of the request has more bytes than a Companion Attestation may have.',
    remedy:
      'Send the document alone, without space that nobody reads. If its justification is long, its hash alone will do.',
    example: { instance: '/attestations/verify', detail: 'The document may have 65536 bytes.' },
  },
  unsupported_media_type: {
    status: 415,
    title: 'The document is sent as something else than JSON',
    meaning:
      'The Content-Type of the request is not application/json, or the body is compressed. Accept-Post or Accept-Encoding in the answer says what is taken.',
    remedy:
      'Send the document as it is, with Content-Type: application/json. With curl: --data-binary @signed.json -H "Content-Type: application/json".',
    example: {
      instance: '/attestations/verify',
      detail: 'Send the document as application/json; found "application/x-www-form-urlencoded".',
    },
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The file has no such bytes',
    meaning: 'The Range header begins after the end of the file. Content-Range has the number of its bytes.',
    remedy:
      'Ask for a range inside the file, with If-Range and the ETag of the part that you have: if the file has changed, you then get the whole of it.',
    example: { instance: '/economy/mic-history.csv', detail: 'The file has 152311 bytes.' },
  },
  rate_limited: {
    status: 429,
    title: 'The requests of this day are used up',
    meaning:
      'As many requests as a day has were answered, to the holder of this key or, without a key, to this network. Each area is counted by itself; the day ends at midnight UTC.',
    remedy:
      'Wait for as many seconds as Retry-After says. Ask for what changed only, with If-None-Match, and keep what you have. If a day is not enough, ask for a key; an address that many share is counted as one.',
    example: {
      instance: '/economy/supply',
      detail: 'The 100 requests of this day for economy are used up; the next day begins at 00:00 UTC.',
    },
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too long',
    meaning: 'The headers of the request have more than 16 kB together.',
    remedy: 'Leave out what this service does not read, above all cookies, which it never sets.',
    example: { instance: '/economy/supply', detail: 'The request could not be read.' },
  },
  internal_error: {
    status: 500,
    title: 'The service failed to answer',
    meaning: 'The fault is ours, and it is in our log.',
    remedy: 'Try again later. If it stays, write to the contact in /.well-known/security.txt with the time.',
    example: { instance: '/economy/supply', detail: 'The fault is ours; it was logged.' },
  },
  unavailable: {
    status: 503,
    title: 'There is no release yet',
    meaning: 'The service has just been set up, and its first release is being made.',
    remedy: 'Try again after as many seconds as Retry-After says.',
    example: { instance: '/economy/supply', detail: 'The first one is being made.' },
  },
  overloaded: {
    status: 503,
    title: 'There is too much to do now',
    meaning:
      'The server has more to do than it can answer in good time, so it answers some requests right away, with this. Requests without a key have to wait first, those with a government key last. Exports that run at once are few, too, for everybody and for one holder of keys; the detail says which. Such a request is not counted.',
    remedy:
      'Try again after as many seconds as Retry-After says, and wait longer each time it happens again. One request after another gets through where many at once do not.',
    example: { instance: '/economy/supply', detail: 'There are more requests than can be answered now.' },
  },
  format_not_offered: {
    status: 501,
    title: 'There is no such format',
    meaning:
      'The oEmbed document is asked for in a format that the service does not write; the specification has this status for it.',
    remedy: 'Ask for format=json, or leave the parameter out.',
    example: { instance: '/oembed', detail: 'The format "xml" is not offered; json is.' },
  },
  too_many_listeners: {
    status: 503,
    title: 'There are too many listeners now',
    meaning:
      'As many readers as the server can hold are connected to the stream of changes, in all or from this network.',
    remedy:
      'Try again after as many seconds as Retry-After says, and share one stream among your programs. Until then, ask for the files that change: the values are the same.',
    example: { instance: '/live', detail: 'No more listeners can be held now.' },
  },
  request_not_counted: {
    status: 503,
    title: 'The request cannot be counted',
    meaning:
      'Requests for this data are limited, and the count cannot be written now. Data that cannot be counted is not given out.',
    remedy: 'Try again after as many seconds as Retry-After says. Pages are not counted and still answered.',
    example: { instance: '/economy/supply', detail: 'Requests cannot be counted now.' },
  },
  key_not_checked: {
    status: 503,
    title: 'The key cannot be checked',
    meaning: 'The request came with a key, and the store of keys cannot be read now.',
    remedy:
      'Try again after as many seconds as Retry-After says. Public paths are answered without a key meanwhile.',
    example: { instance: '/economy/supply', detail: 'Keys cannot be checked now.' },
  },
  access_not_logged: {
    status: 503,
    title: 'The access cannot be recorded',
    meaning:
      'Access to restricted data is on record before it is answered, and the record cannot be written now.',
    remedy: 'Try again after as many seconds as Retry-After says. Public data is still answered.',
    example: {
      instance: '/government/compliance-report.json',
      detail: 'Access to this path cannot be recorded now.',
    },
  },
  http_version_not_supported: {
    status: 505,
    title: 'This version of HTTP is not spoken here',
    meaning: 'The first line of the request names another version than HTTP/1.1 or HTTP/1.0.',
    remedy:
      'Send HTTP/1.1. HTTP/2 is agreed upon with the proxy that stands before the service, not by a version in the first line.',
    example: { instance: '/economy/supply', detail: 'Send HTTP/1.1, not HTTP/2.0.' },
  },
} as const satisfies Readonly<Record<string, ProblemEntry>>;

type ProblemCode = keyof typeof PROBLEMS;

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
