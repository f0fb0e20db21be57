import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { formatTimestamp } from '../../../pipeline/words/moment.ts';
import { KEY_AREAS, type KeyArea, type Tier } from '../../api/tiers.ts';
import type { KeyRecord, KeyStore } from './key-store.ts';
import { containsKey, hashKey, isKey } from './key-text.ts';
import { type Refusal, refuse } from './refusal.ts';

export interface Credentials {
  /** As node:http has them, name and value in turn: `headers.authorization` hides all but the first. */
  rawHeaders: readonly string[];
  /** Without its question mark; `''` for none. */
  query: string;
}

export interface Anonymous {
  kind: 'anonymous';
}

export interface Authenticated {
  kind: 'key';
  keyId: string;
  /** What limits are counted by: two keys of one holder have one. */
  holder: string;
  tier: Tier;
  areas: readonly KeyArea[];
}

/** Parameters that clients of other services send keys in (RFC 6750 §2.3 names the first), in lower case. */
const KEY_PARAMETERS = new Set(['access_token', 'api_key', 'api-key', 'apikey', 'authorization', 'bearer']);

/** RFC 9110 §11.4: the scheme in any case, one space or more, then the key (RFC 6750 §2.1). */
const SCHEME = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?: +(.*))?$/;

/**
 * Who asks for a path of `area` (null: outside the areas) at `now`, ms. A request without a key is anonymous, on restricted
 * paths too: those answer it with refuseAnonymous(). Where an area has no keys, a good key is worth as much as none and a
 * bad one is refused all the same. The store is read each time, so that a revocation in another process holds at once.
 */
export async function authenticate(
  store: Pick<KeyStore, 'keyByHash'>,
  { rawHeaders, query }: Credentials,
  area: Area | null,
  now: number,
): Promise<Anonymous | Authenticated | Refusal> {
  if (hasKey(query)) {
    return refuse('key_in_query', 'Send the key in the Authorization header, and have this one rotated.');
  }
  const key = readKey(authorizationValues(rawHeaders));
  if (key === null) return { kind: 'anonymous' };
  if (typeof key !== 'string') return key;
  // Before the store: guesses and mistyped keys cost a checksum, and 30 characters cannot be guessed past it.
  if (!isKey(key))
    return refuse('invalid_token', 'The key is mistyped or cut short: its checksum does not fit.');
  const record = await store.keyByHash(hashKey(key));
  return admit(record, area, now);
}

/**
 * The record of a key that was sent in whatever way, for the access log: a request that is refused for another reason was
 * still somebody's. Null where no known one was.
 */
export async function findSentKey(
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

/** The key as it was sent; null for none. */
function readKey(values: readonly string[]): string | null | Refusal {
  if (values.length === 0) return null;
  if (values.length > 1)
    return refuse('invalid_authorization', 'Send one Authorization header, not several.');
  const [, scheme = '', key = ''] = SCHEME.exec(values[0]!.trim()) ?? [];
  if (scheme.toLowerCase() !== 'bearer') {
    return refuse('unknown_scheme', 'Send Authorization: Bearer <key>, or no Authorization header.');
  }
  if (/^[^\s,]+$/.test(key)) return key;
  return refuse('invalid_authorization', 'Send exactly one key after Bearer.');
}

function admit(
  record: KeyRecord | null,
  area: Area | null,
  now: number,
): Anonymous | Authenticated | Refusal {
  // A key that has not reached its holder is not in force, whoever has it.
  if (record === null || record.deliveredAt === null)
    return refuse('invalid_token', 'No such key was issued.');
  if (record.revokedAt !== null) {
    return refuse('invalid_token', `The key was revoked on ${formatTimestamp(record.revokedAt)}.`, record);
  }
  if (now >= record.expiresAt) {
    return refuse('invalid_token', `The key ended on ${formatTimestamp(record.expiresAt)}.`, record);
  }
  if (!isKeyArea(area)) return { kind: 'anonymous' };
  const { id, holder, tier, areas } = record;
  if (areas.includes(area)) return { kind: 'key', keyId: id, holder, tier, areas };
  return refuse('insufficient_scope', `The key is for ${areas.join(', ')}, not for ${area}.`, record, area);
}

function isKeyArea(area: Area | null): area is KeyArea {
  return area !== null && (KEY_AREAS as readonly string[]).includes(area);
}
