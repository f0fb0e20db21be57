import type { BUCKET_SETTINGS, Config } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import { credentialsFrom } from '../../pipeline/objects/object-address.ts';
import { type ObjectStore, openObjectStore } from '../../pipeline/objects/object-store.ts';
import { type Database, openDatabase } from '../../pipeline/postgres/database.ts';
import type { KeyStore } from '../sidecar/keys/key-store.ts';
import { postgresKeyStore } from '../sidecar/keys/postgres-key-store.ts';
import { openKeyStore } from '../sidecar/keys/sqlite-key-store.ts';

/** A command does one thing after the other; a second connection serves what it does meanwhile. */
const CONNECTIONS = 2;

/** Runs `work` with the database that several machines share, or with null on a single machine. `command`: its name, for the sessions of the server. */
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

/**
 * Runs `work` with the API keys that the settings name, and with the time by which they expire: that of the database that machines
 * share. `mustExist`: no file is created.
 */
export async function withKeys<T>(
  { store, keys }: Pick<Config, 'store' | 'keys'>,
  { now, command, mustExist }: { now: () => number; command: string; mustExist: boolean },
  work: (store: KeyStore, now: () => number) => Promise<T>,
): Promise<T> {
  return withDatabase(store, command, async (database) => {
    const opened = database ? postgresKeyStore(database) : openKeyStore(keys, { mustExist });
    try {
      return await work(opened, database ? () => now() + database.clock() : now);
    } finally {
      await opened.close();
    }
  });
}

/** Runs `work` with the bucket of releases, or with null where there is none. */
export async function withBucket<T>(
  config: Pick<Config, (typeof BUCKET_SETTINGS)[number]>,
  { access, log }: { access: 'read' | 'write'; log: (line: string) => void },
  work: (bucket: ObjectStore | null) => Promise<T>,
): Promise<T> {
  const { releases } = config;
  if (releases === null) return work(null);
  const bucket = await openObjectStore(releases, credentialsFrom(config), {
    software: software(),
    access,
    log,
  });
  try {
    return await work(bucket);
  } finally {
    bucket.close();
  }
}
