import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { redactKeysInQuery } from './redact-keys-in-query.ts';

/** One access to a gated path, as it was decided. */
export interface Access {
  /** ms since 1970 */
  time: number;
  requestId: string;
  /** The key's id, never the key; null where none was sent or it is not known. */
  keyId: string | null;
  holder: string | null;
  area: string;
  method: string;
  /** As it was asked for, with its slash. */
  path: string;
  /** Without its question mark; empty where there is none. */
  query: string;
  /** The status that the answer is about to have. */
  status: number;
  /** IP address */
  client: string;
  /** Nothing of what was asked for is answered: see Refusals. */
  isRefused?: boolean;
}

/** One row of the log. Its members are the columns, and what an export holds. */
export interface Entry {
  /** 0, 1, 2 … without a gap, across all files of the log. */
  seq: number;
  /** `2025-12-01T06:00:00.000Z` */
  time: string;
  request_id: string;
  key_id: string | null;
  holder: string | null;
  area: string;
  method: string;
  path: string;
  /** With its question mark, so that no spreadsheet takes it for a formula; empty where there is none. */
  query: string;
  status: number;
  client: string;
  /** The `hash` of the entry before. */
  prev_hash: string;
  /** 64 hex digits. */
  hash: string;
}

export const COLUMNS = [
  'seq',
  'time',
  'request_id',
  'key_id',
  'holder',
  'area',
  'method',
  'path',
  'query',
  'status',
  'client',
  'prev_hash',
  'hash',
] as const satisfies readonly (keyof Entry)[];

/** An entry without its place in the chain. */
export type AccessRecord = Omit<Entry, 'seq' | 'prev_hash' | 'hash'>;

/** Where an entry stands in the chain. */
export interface Link {
  seq: number;
  hash: string;
}

/** Before the first entry. */
export const FIRST_LINK: Link = { seq: -1, hash: '0'.repeat(64) };

/** Longer texts are cut: a request may carry some kilobytes of anything, and is logged when it is refused, too. */
const MAX_TEXT = 2_048;
/** An export's filter may be long, and what was asked for is the point of the log. */
const MAX_QUERY = 8_192;
/** Of a refused request less is worth keeping: anybody can send it, as long as they like. */
const MAX_REFUSED_TEXT = 200;
const CUT = '…';
/** Stands before what is hashed, so that the hash is of nothing else. */
const DOMAIN = 'cathedral-access-log/1\n';

/** An access as it is stored. Keys in path and query are removed. Throws a RangeError where the time is none. */
export function recordAccess(access: Access): AccessRecord {
  const { isRefused } = access;
  return {
    time: new Date(access.time).toISOString(),
    request_id: bounded(access.requestId),
    key_id: access.keyId === null ? null : bounded(access.keyId),
    holder: access.holder === null ? null : bounded(access.holder),
    area: bounded(access.area),
    method: bounded(access.method),
    path: bounded(redactKeysInQuery(access.path), isRefused ? MAX_REFUSED_TEXT : MAX_TEXT),
    query:
      access.query &&
      bounded(`?${redactKeysInQuery(access.query)}`, isRefused ? MAX_REFUSED_TEXT : MAX_QUERY),
    status: access.status,
    client: bounded(access.client),
  };
}

/** The entry that follows `previous`. */
export function linkEntry(record: AccessRecord, previous: Link): Entry {
  const row = { seq: previous.seq + 1, ...record, prev_hash: previous.hash };
  return { ...row, hash: hashEntry(row) };
}

/** SHA-256 of the domain line and the RFC 8785 form of all members but the hash itself. */
export function hashEntry(entry: Omit<Entry, 'hash'> & { hash?: string }): string {
  const { hash: _, ...row } = entry;
  return hash('sha256', DOMAIN + canonicalize(row));
}

function bounded(text: string, limit = MAX_TEXT): string {
  // Half a surrogate pair has no UTF-8 form.
  return (text.length > limit ? text.slice(0, limit) + CUT : text).toWellFormed();
}
