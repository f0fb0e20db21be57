import { CathedralError } from '../../../pipeline/errors.ts';
import { REVOKE_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { KeyServices } from './key-services.ts';
import type { KeyRecord } from './key-store.ts';
import { hashKey } from './key-text.ts';

/**
 * `keys revoke`: all processes refuse the key from the next request on. Other keys of the holder stay valid. Throws key_refused
 * for an unknown or already revoked key; an expired key can be revoked.
 */
export async function revokeKey(
  args: unknown,
  { store, now }: Pick<KeyServices, 'store' | 'now'>,
): Promise<KeyRecord> {
  const { id, leaked, reason } = readArguments(REVOKE_ARGUMENTS, args);
  const key = leaked === undefined ? await store.keyById(id!) : await store.keyByHash(hashKey(leaked));
  if (key === null) {
    throw new CathedralError('key_refused', {
      place: id ?? '--leaked',
      expected: 'an issued key',
      found: 'none',
    });
  }
  if (!(await store.revokeKey(key.id, now(), reason))) {
    const expected = 'a key that is not yet revoked';
    throw new CathedralError('key_refused', { place: key.id, expected, found: 'a revoked one' });
  }
  return (await store.keyById(key.id))!;
}
