import { type Database, openDatabase } from './database.ts';

/** A command does one thing after the other; a second connection serves what it does meanwhile. */
const CONNECTIONS = 2;

/**
 * Runs `work` with the database that several machines share, or with null on a single machine. `command`: its name, for the sessions of the
 * server. Throws store_failed.
 */
export async function withDatabase<T>(
  store: string | null,
  command: string,
  work: (database: Database | null) => Promise<T>,
): Promise<T> {
  if (store === null) return work(null);
  const application = `cathedral ${command}`;
  const database = await openDatabase(store, { application, connections: CONNECTIONS });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
