import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { Problem } from '../../api/problem.ts';
import { withoutKeys } from '../access-log/without-keys.ts';
import { gatedArea, parsePath } from '../files/find-file.ts';
import type { Authenticated } from '../keys/authenticate.ts';
import { clientNetwork } from '../limits/client-network.ts';
import type { ClientAddress } from './client-address.ts';
import type { ClientSlots } from './client-slots.ts';

/** One request, as far as it is understood; each step of its answer adds to it. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Names the request in the server's log and in the access log. */
  readonly id: string;
  readonly address: ClientAddress;
  readonly clients: ClientSlots;
  /** For which the client may take nothing of an answer, ms. */
  readonly stallMs: number;
  /** Below the root, percent-encoding undone: `economy/supply`; null until it was read. */
  path: string | null;
  /** Without its question mark. */
  query: string;
  /** The key that was sent, where it is good here. */
  key: Authenticated | null;
  /** For the access log: of a key that is known but no good here, too. */
  keyId: string | null;
  holder: string | null;
  /** Null outside the areas. */
  area: Area | null;
  /** Every access is recorded, refused ones too. */
  gated: boolean;
  /** The answer is data, which the area's limit counts. */
  counted: boolean;
  /** Tells the load gate that the answer is made. */
  made: (() => void) | null;
  /** What the visit gives back when its response is over; see `hold`. */
  held: (() => void)[];
  /** The request's body was taken, all of it. */
  bodyRead: boolean;
}

export function newVisit(
  request: IncomingMessage,
  response: ServerResponse,
  known: Pick<Visit, 'id' | 'address' | 'clients' | 'stallMs'>,
): Visit {
  return {
    request,
    response,
    id: known.id,
    address: known.address,
    clients: known.clients,
    stallMs: known.stallMs,
    path: null,
    query: '',
    key: null,
    keyId: null,
    holder: null,
    area: null,
    gated: false,
    counted: false,
    made: null,
    held: [],
    bodyRead: false,
  };
}

/** Who shares what there is for one client: the holder of a key, or a network. */
export function clientOf({ key, address, request }: Visit): string {
  return key ? key.holder : clientNetwork(address.ip(request));
}

/** Has something given back when the response is over, however it ends. */
export function hold(visit: Visit, giveBack: () => void): void {
  // The client has gone already, and nothing will say so again.
  if (visit.response.destroyed) giveBack();
  else visit.held.push(giveBack);
}

const HOST = /^host$/i;
/** `GET http://host/path HTTP/1.1` is a right way to ask, too (RFC 9112 §3.2.2). */
const ORIGIN = /^https?:\/\/[^/?#]*\/?/i;

/** Reads path and query. Throws a Problem bad_request or http_version_not_supported. */
export function parseVisit(visit: Visit): void {
  assertVersion(visit.request);
  assertHost(visit.request);
  const url = targetOf(visit);
  const end = url.search(/[?#]/);
  const path = parsePath(end < 0 ? url : url.slice(0, end));
  visit.path = path;
  visit.query = end >= 0 && url[end] === '?' ? url.slice(end + 1).split('#', 1)[0]! : '';
  // Gated whether there is a release or not, and whatever the method.
  const area = gatedArea(path);
  if (area === null) return;
  visit.area = area;
  visit.gated = true;
  visit.counted = true;
}

/** The parser lets HTTP/0.9 and HTTP/2.0 through, which are other protocols (RFC 9110 §2.5). */
function assertVersion({ httpVersion }: IncomingMessage): void {
  if (httpVersion === '1.1' || httpVersion === '1.0') return;
  throw new Problem('http_version_not_supported', `Send HTTP/1.1, not HTTP/${httpVersion}.`);
}

/** One, and in HTTP/1.0 at most one (RFC 9112 §3.2): by two, a proxy and this server could mean two different things. */
function assertHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) if (HOST.test(rawHeaders[index]!)) hosts += 1;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return;
  throw new Problem('bad_request', `Send one Host header, not ${hosts}.`);
}

/** As it was asked for, `/economy/suply`, for errors and logs: without the query and without anything that is a key. */
export function shownPath(visit: Visit): string {
  return withoutKeys(targetOf(visit).split(/[?#]/, 1)[0]!);
}

function targetOf({ request: { url = '/', method } }: Visit): string {
  // What the server can do at all (RFC 9110 §9.3.7).
  if (method === 'OPTIONS' && url === '*') return '/';
  return url.startsWith('/') ? url : url.replace(ORIGIN, '/');
}
