import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { RowOf } from '../../../pipeline/sql/table.ts';
import { ENTRIES } from '../../../pipeline/sql/tables.ts';
import { redactKeysInQuery } from './redact-keys-in-query.ts';

/** One access to a restricted path, with its decision. */
export interface Access {
  /** ms since 1970 */
  time: number;
  requestId: string;
  /** The id of the key, never the key; null if the request had no known key. */
  keyId: string | null;
  holder: string | null;
  area: string;
  method: string;
  /** As requested, with its leading slash. */
  path: string;
  /** Without the question mark; empty if there is no query. */
  query: string;
  /** The status that the answer will have. */
  status: number;
  /** IP address */
  client: string;
  /** The request gets none of the requested data; see Refusals. */
  isRefused?: boolean;
}

/** One row of the log. Its members are the columns and the members of an export. */
export type Entry = RowOf<typeof ENTRIES>;

export const COLUMNS = Object.keys(ENTRIES.columns) as readonly (keyof Entry)[];

/** An entry without its position in the chain. */
export type AccessRecord = Omit<Entry, 'seq' | 'prev_hash' | 'hash'>;

/** A position in the chain. */
export interface Link {
  seq: number;
  hash: string;
}

/** Precedes the first entry. */
export const FIRST_LINK: Link = { seq: -1, hash: '0'.repeat(64) };

/** Longer texts are cut: a request may carry kilobytes of arbitrary text, and refused requests are logged too. */
const MAX_TEXT = 2_048;
/** An export's filter may be long, and the log exists to record what was requested. */
const MAX_QUERY = 8_192;
/** Refused requests are cut shorter, because anybody can send them at any length. */
const MAX_REFUSED_TEXT = 200;
const CUT = '…';
/** Domain separation: precedes the hashed text. */
const DOMAIN = 'cathedral-access-log/1\n';

/** Converts an access to its stored form. Redacts keys in path and query. Throws a RangeError for an invalid time. */
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

/** The entry after `previous`. */
export function linkEntry(record: AccessRecord, previous: Link): Entry {
  const row = { seq: previous.seq + 1, ...record, prev_hash: previous.hash };
  return { ...row, hash: hashEntry(row) };
}

/** SHA-256 of the domain line and the RFC 8785 form of all members except the hash. */
export function hashEntry(entry: Omit<Entry, 'hash'> & { hash?: string }): string {
  const { hash: _, ...row } = entry;
  return hash('sha256', DOMAIN + canonicalize(row));
}

function bounded(text: string, limit = MAX_TEXT): string {
  // An unpaired surrogate has no UTF-8 form, and PostgreSQL stores no U+0000.
  return (text.length > limit ? text.slice(0, limit) + CUT : text).toWellFormed().replaceAll('\0', '\ufffd');
}
