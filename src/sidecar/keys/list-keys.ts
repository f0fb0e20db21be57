import { LIST_ARGUMENTS, readArguments } from './key-arguments.ts';
import type { Office } from './key-services.ts';
import type { KeyRecord } from './key-store.ts';

/** `keys list`: newest first, those over too; of a tier, an area or an address where one is given. */
export async function listKeys(args: unknown, { store }: Pick<Office, 'store'>): Promise<KeyRecord[]> {
  const { tier, area, email } = readArguments(LIST_ARGUMENTS, args);
  const keys = await store.keys();
  return keys.filter(
    (key) =>
      (tier === undefined || key.tier === tier) &&
      (area === undefined || key.areas.includes(area)) &&
      (email === undefined || key.email === email),
  );
}
