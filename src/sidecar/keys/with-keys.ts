import type { Config } from '../../../pipeline/config/settings.ts';
import { storeFiles } from '../../../pipeline/config/store-place.ts';
import { withDatabase } from '../../../pipeline/postgres/with-database.ts';
import type { KeyStore } from './key-store.ts';
import { keyStoreIn, openKeyStore } from './sql-key-store.ts';

/**
 * Runs `work` with the API keys that the settings name, and with the time by which they expire: that of the database that machines
 * share. `mustExist`: no file is created.
 */
export async function withKeys<T>(
  { store }: Pick<Config, 'store'>,
  { now, command, mustExist }: { now: () => number; command: string; mustExist: boolean },
  work: (store: KeyStore, now: () => number) => Promise<T>,
): Promise<T> {
  return withDatabase(store, command, async (database) => {
    const opened = database
      ? keyStoreIn(database)
      : await openKeyStore(storeFiles(store).keys, { mustExist });
    try {
      return await work(opened, database ? () => now() + database.clock() : now);
    } finally {
      await opened.close();
    }
  });
}
