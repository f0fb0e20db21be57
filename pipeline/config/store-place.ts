import { join } from 'node:path';
import { hasScheme } from './setting.ts';

/** The address of the database that several machines share; null where the setting `store` names a folder of one machine. */
export function databaseOf(store: string): string | null {
  return hasScheme(store) ? store : null;
}

/** What a folder of one machine has, each in a folder of its own, so that it may have its own owner and back-ups. */
export function storeFiles(store: string) {
  return {
    keys: join(store, 'keys', 'keys.sqlite'),
    counts: join(store, 'limits', 'limits.db'),
    accessLog: join(store, 'access-log', 'log.db'),
    /** With which the server signs heads of the log. */
    headKey: join(store, 'access-log', 'head.key'),
    /** The verifier keys of `headKey` and of those before it, for everybody: runs publish them. They may not read the folders. */
    headVerifiers: join(store, 'access-log.vkey'),
  };
}
