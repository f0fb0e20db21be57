import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { orNull } from '../../../pipeline/errors.ts';
import { Problem, type ProblemCode } from '../../api/problem.ts';
import { type Routed, routeAt } from '../../api/routes/table.ts';
import { redactKeysInQuery } from '../access-log/redact-keys-in-query.ts';
import { LOG_PREFIX } from '../files/log-files.ts';
import type { Authenticated } from '../keys/authenticate.ts';
import { clientNetwork } from '../limits/client-network.ts';
import type { ClientAddress, ClientLimits } from './clients.ts';

/** What all requests of a server have in common. */
export interface ForAllRequests {
  address: ClientAddress;
  clients: ClientLimits;
  /** How long a client may take no bytes of a response, ms. */
  stallMs: number;
  /** The header that a CDN reads tags from; null: none. */
  cacheTagHeader: string | null;
}

/** One request, as far as it is understood; each step of handling it adds to this. */
export class RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Identifies the request in the server log and the access log. */
  readonly id: string;
  readonly all: ForAllRequests;
  /** Without the leading slash and percent-encoding: `economy/supply`. Null until it is parsed. */
  path: string | null = null;
  /** The row of the path in the table of routes. Null until it is parsed. */
  routed: Routed | null = null;
  /** Without its question mark. */
  query = '';
  /** The API key, if it is valid here. */
  key: Authenticated | null = null;
  /** For the access log: also of a known key that is not valid here. */
  keyId: string | null = null;
  holder: string | null = null;
  /** Null outside the areas. */
  area: Area | null = null;
  /** Every access is recorded, including refused ones. */
  restricted = false;
  /** The answer is data, which counts against the quota of the area. */
  counted = false;
  /** Why the request was refused; null if it was not. */
  refusal: ProblemCode | null = null;
  /** Tells the load gate that the answer is ready to be sent. */
  onRendered: (() => void) | null = null;
  /** Called when the response is over; see `onFinish`. */
  cleanups: (() => void)[] = [];
  /** The whole request body has been read. */
  bodyRead = false;

  constructor(request: IncomingMessage, response: ServerResponse, id: string, all: ForAllRequests) {
    this.request = request;
    this.response = response;
    this.id = id;
    this.all = all;
  }

  /** IP address of the client. */
  get address(): string {
    return this.all.address.ip(this.request);
  }
}

/** 48 random bits: two processes hardly ever get the same prefix. */
const PREFIX_BYTES = 6;

/** `pX3k9aQz-1f`: a prefix for the process, and a counter. */
export function requestIds(): () => string {
  const prefix = randomBytes(PREFIX_BYTES).toString('base64url');
  let last = 0;
  return () => {
    last += 1;
    return `${prefix}-${last.toString(36)}`;
  };
}

/** Who shares the limits for one client: the holder of a key, or a network. */
export function clientOf(context: RequestContext): string {
  return context.key ? context.key.holder : clientNetwork(context.address);
}

/** Calls `release` when the response is over, however it ends. */
export function onFinish(context: RequestContext, release: () => void): void {
  // If the client has disconnected already, no event will follow.
  if (context.response.destroyed) release();
  else context.cleanups.push(release);
}

/** Parses path and query, and finds the route of the path. Throws a Problem bad_request, not_found or http_version_not_supported. */
export function parseRequest(context: RequestContext): void {
  assertVersion(context.request);
  assertHost(context.request);
  const url = targetOf(context);
  const end = url.search(/[?#]/);
  const path = parsePath(end < 0 ? url : url.slice(0, end));
  context.path = path;
  context.query = end >= 0 && url[end] === '?' ? url.slice(end + 1).split('#', 1)[0]! : '';
  context.routed = routeAt(path);
  // Whether there is a release or not, and whatever the method.
  const { area, access } = context.routed.route;
  if (access !== 'key') return;
  context.area = area;
  context.restricted = true;
  context.counted = true;
}

const HOST = /^host$/i;
/** `GET http://host/path HTTP/1.1` is a valid request, too (RFC 9112 §3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*\/?/i;

/** node:http also accepts HTTP/0.9 and HTTP/2.0, which are other protocols (RFC 9110 §2.5). */
function assertVersion({ httpVersion }: IncomingMessage): void {
  if (httpVersion === '1.1' || httpVersion === '1.0') return;
  throw new Problem('http_version_not_supported', `Send HTTP/1.1, not HTTP/${httpVersion}.`);
}

/** One, or in HTTP/1.0 at most one (RFC 9112 §3.2): with two, a proxy and this server might each use a different one. */
function assertHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  const hosts = hostsIn(rawHeaders);
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return;
  throw new Problem('bad_request', `Send one Host header, not ${hosts}.`);
}

/** How many Host headers there are, of which node:http keeps the first. */
export function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) if (HOST.test(rawHeaders[index]!)) hosts += 1;
  return hosts;
}

/** The path as requested, `/economy/suply`, for problems and logs: without the query, and with any key redacted. */
export function redactedPath(context: RequestContext): string {
  return redactKeysInQuery(targetOf(context).split(/[?#]/, 1)[0]!);
}

function targetOf({ request: { url = '/', method } }: RequestContext): string {
  // The server as a whole (RFC 9110 §9.3.7).
  if (method === 'OPTIONS' && url === '*') return '/';
  return url.startsWith('/') ? url : url.replace(ORIGIN, '/');
}

/** Encoded characters that a path may not contain: separators, and the end of a C string. */
const FORBIDDEN = /%(?:2f|5c|00)/i;

/** `/economy/` → `economy/`. Addresses of the log have only one spelling, so an encoded one is not found. */
function parsePath(path: string): string {
  if (path.startsWith('/') && !path.includes('%')) return path.slice(1);
  const decoded = decode(path);
  if (decoded === null) throw new Problem('bad_request');
  if (!decoded.startsWith(LOG_PREFIX)) return decoded;
  throw new Problem('not_found', 'Write addresses of the log without percent-encoding.');
}

/** Null if the path is not percent-encoded UTF-8, or contains a forbidden character. */
function decode(path: string): string | null {
  if (!path.startsWith('/') || FORBIDDEN.test(path)) return null;
  return orNull(() => decodeURIComponent(path.slice(1)));
}
