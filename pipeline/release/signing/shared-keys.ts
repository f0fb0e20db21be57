import { CathedralError } from '../../errors.ts';
import type { SigningRecord } from './signing-record.ts';

/**
 * The record with the keys of a publisher that is about to sign. Each publisher has its own copy of the key file, and the record knows
 * which keys belong in it: a copy may be ahead by a new key, never behind. `keys`: verifier keys, the one that stays first; null if
 * the file does not exist. Throws release_refused.
 */
export function withSharedKeys(
  record: SigningRecord,
  keys: readonly string[] | null,
  keyFile: string,
): SigningRecord {
  const { current = [], retired = [] } = record.keys ?? {};
  const lacks = current.filter((key) => !keys?.includes(key));
  if (lacks.length > 0) throw refusal(keyFile, `${listed(current)}, which signed last`, found(keys));
  const ended = keys?.find((key) => retired.includes(key) || record.replaced.includes(key));
  if (ended !== undefined)
    throw refusal(keyFile, `${listed(current)} without a key that no longer signs`, ended);
  return keys ? { ...record, keys: { current: [...keys], retired } } : record;
}

/** The record after a change of the publisher's keys. `ended`: the older keys of a rotation that is over. */
export function withChangedKeys(
  record: SigningRecord,
  keys: readonly string[],
  ended: readonly string[],
): SigningRecord {
  const retired = [...new Set([...(record.keys?.retired ?? []), ...ended])];
  return { ...record, keys: { current: [...keys], retired } };
}

function refusal(place: string, expected: string, found: string): CathedralError {
  const advice = 'nothing is published: copy this file from the publisher that has these keys';
  return new CathedralError('release_refused', { place, expected: `${expected} (${advice})`, found });
}

const listed = (keys: readonly string[]) => keys.join(' and ') || 'no key';
const found = (keys: readonly string[] | null) => keys?.join(', ') ?? 'no such file';
