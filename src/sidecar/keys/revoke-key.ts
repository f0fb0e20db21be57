import { CathedralError } from '../../../pipeline/errors.ts';
import { REVOKE_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { Office } from './key-services.ts';
import type { KeyRecord } from './key-store.ts';
import { hashKey } from './key-text.ts';

/**
 * `keys revoke`: refused from the next request on, in every process. Other keys of the holder stay good. Throws key_refused
 * for a key that is unknown or revoked already; an expired one may be revoked.
 */
export async function revokeKey(
  args: unknown,
  { store, now }: Pick<Office, 'store' | 'now'>,
): Promise<KeyRecord> {
  const { id, leaked, reason } = readArguments(REVOKE_ARGUMENTS, args);
  const key = leaked === undefined ? await store.keyById(id!) : await store.keyByHash(hashKey(leaked));
  if (key === null) {
    throw new CathedralError('key_refused', {
      place: id ?? '--leaked',
      expected: 'a key that was issued',
      found: 'none',
    });
  }
  if (!(await store.revokeKey(key.id, now(), reason))) {
    const expected = 'a key that is not revoked yet';
    throw new CathedralError('key_refused', { place: key.id, expected, found: 'a revoked one' });
  }
  return (await store.keyById(key.id))!;
}
