import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { formatTimestamp } from '../../../pipeline/words/moment.ts';
import { PROBLEMS, Problem, type ProblemCode } from '../../api/problem.ts';
import { KEY_AREAS, type KeyArea, type Tier } from '../../api/tiers.ts';
import type { KeyRecord, KeyStore } from './key-store.ts';
import { containsKey, hashKey, isKey } from './key-text-and-hash.ts';

export interface Credentials {
  /** Names and values in turn, as in node:http: `headers.authorization` hides all values but the first. */
  rawHeaders: readonly string[];
  /** Without the question mark; `''` if there is no query. */
  query: string;
}

export interface Authenticated {
  keyId: string;
  /** Limits are counted per holder; all keys of one holder share it. */
  holder: string;
  tier: Tier;
  areas: readonly KeyArea[];
}

/** Query parameters in which clients of other services send keys (RFC 6750 §2.3 names the first), in lower case. */
const KEY_PARAMETERS = new Set(['access_token', 'api_key', 'api-key', 'apikey', 'authorization', 'bearer']);

/** RFC 9110 §11.4: the scheme in any case, one or more spaces, then the key (RFC 6750 §2.1). */
const SCHEME = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?: +(.*))?$/;

/**
 * Identifies the client of a path in `area` (null: outside the areas) at `now`, ms. Null for a request without a key, even
 * on restricted paths, which refuse it with key_required. In areas without keys, a valid key changes nothing, but an
 * invalid one is still refused. Every call reads the store, so a revocation by another process takes effect immediately. Throws a Problem.
 */
export async function authenticate(
  store: Pick<KeyStore, 'keyByHash'>,
  { rawHeaders, query }: Credentials,
  area: Area | null,
  now: number,
): Promise<Authenticated | null> {
  if (hasKey(query)) throw refusal('key_in_query');
  const key = readKey(authorizationValues(rawHeaders));
  if (key === null) return null;
  // Check before reading the store: a guessed or mistyped key then costs one checksum, and its 30 characters are unguessable.
  if (!isKey(key)) throw refusal('invalid_token');
  const record = await store.keyByHash(hashKey(key));
  return admit(record, area, now);
}

/**
 * The record of a key sent by any method, for the access log, which names the key even if the request is refused for another
 * reason. Null if the request had no known key.
 */
export async function findPresentedKey(
  store: Pick<KeyStore, 'keyByHash'>,
  { rawHeaders, query }: Credentials,
): Promise<KeyRecord | null> {
  const sent = [...authorizationValues(rawHeaders), ...new URLSearchParams(query).values()];
  for (const key of sent.flatMap((text) => text.split(/[\s,]+/)).filter(isKey)) {
    const record = await store.keyByHash(hashKey(key));
    if (record !== null) return record;
  }
  return null;
}

function hasKey(query: string): boolean {
  if (query === '') return false;
  const parameters = [...new URLSearchParams(query)];
  return parameters.some(
    ([name, value]) => KEY_PARAMETERS.has(name.toLowerCase()) || containsKey(name) || containsKey(value),
  );
}

function authorizationValues(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && /^authorization$/i.test(rawHeaders[index - 1]!));
}

/** The key as sent; null if there is none. Throws a Problem. */
function readKey(values: readonly string[]): string | null {
  if (values.length === 0) return null;
  if (values.length > 1)
    throw refusal('invalid_authorization', 'Send one Authorization header, not several.');
  const [, scheme = '', key = ''] = SCHEME.exec(values[0]!.trim()) ?? [];
  if (scheme.toLowerCase() !== 'bearer') throw refusal('unknown_scheme');
  if (/^[^\s,]+$/.test(key)) return key;
  throw refusal('invalid_authorization');
}

/** Throws a Problem. */
function admit(record: KeyRecord | null, area: Area | null, now: number): Authenticated | null {
  // A key that has not reached its holder is not valid, whoever presents it.
  if (record === null || record.delivered_at === null)
    throw refusal('invalid_token', 'This key was never issued.');
  if (record.revoked_at !== null) {
    throw refusal('invalid_token', `The key was revoked on ${formatTimestamp(record.revoked_at)}.`);
  }
  if (now >= record.expires_at) {
    throw refusal('invalid_token', `The key expired on ${formatTimestamp(record.expires_at)}.`);
  }
  if (!isKeyArea(area)) return null;
  const { id, holder, tier, areas } = record;
  if (areas.includes(area)) return { keyId: id, holder, tier, areas };
  const detail = `The key is valid for ${areas.join(', ')}, not for ${area}.`;
  throw refusal('insufficient_scope', detail, area);
}

function isKeyArea(area: Area | null): area is KeyArea {
  return area !== null && (KEY_AREAS as readonly string[]).includes(area);
}

/** The `error` of the challenge (RFC 6750 §3.1) by problem code. Null: a request without Bearer gets a challenge without an error. */
const CHALLENGE_ERRORS = {
  key_required: null,
  unknown_scheme: null,
  key_in_query: 'invalid_request',
  invalid_authorization: 'invalid_request',
  invalid_token: 'invalid_token',
  insufficient_scope: 'insufficient_scope',
} as const satisfies Partial<Record<ProblemCode, string | null>>;

/**
 * `scope`: the area that the path requires. `detail` contains no part of the request, and no quotes or backslashes, because the header
 * repeats it.
 */
export function refusal(
  code: keyof typeof CHALLENGE_ERRORS,
  detail: string = PROBLEMS[code].detail,
  scope?: string,
): Problem {
  const error = CHALLENGE_ERRORS[code];
  const parts = ['Bearer realm="cathedral"'];
  if (error !== null) parts.push(`error="${error}"`, `error_description="${detail}"`);
  if (scope !== undefined) parts.push(`scope="${scope}"`);
  return new Problem(code, detail, { 'WWW-Authenticate': parts.join(', ') });
}
