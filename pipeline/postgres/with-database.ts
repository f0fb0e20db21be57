import { databaseOf } from '../config/store-place.ts';
import { type Database, openDatabase } from './database.ts';

/** A command does one thing after the other; a second connection serves what it does meanwhile. */
const CONNECTIONS = 2;

/**
 * Runs `work` with the database that several machines share, or with null where the setting `store` names a folder. `command`: its name, for the
 * sessions of the server. Throws store_failed.
 */
export async function withDatabase<T>(
  store: string,
  command: string,
  work: (database: Database | null) => Promise<T>,
): Promise<T> {
  const address = databaseOf(store);
  if (address === null) return work(null);
  const application = `cathedral ${command}`;
  const database = await openDatabase(address, { application, connections: CONNECTIONS });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
