import { glob, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { useStore } from '../../setups/use-store.ts';
import { openStores, type StoreOptions, type Stores } from './seam.ts';

export interface Engine {
  /** Where nothing is stored yet. */
  newPlace: () => Promise<string>;
  /** Every byte that is stored, as text. */
  everything: (place: string) => Promise<string>;
  sql: (place: string) => (text: string) => Promise<unknown>;
  isShared: boolean;
}

/** Defines tests for each engine that can store all of it. */
export function eachEngine(what: string, define: (engine: Engine) => void): void {
  describe(`${what} in files`, () =>
    define({
      newPlace: temporaryFolder,
      everything: bytesOf,
      sql: () => () => Promise.reject(new Error('files have no server')),
      isShared: false,
    }));
  const store = useStore();
  describe.skipIf(store.isMissing)(`${what} in PostgreSQL`, () =>
    define({
      newPlace: () => store.newDatabase(),
      everything: async (place) => {
        const tables = await store.sql(
          place,
          `SELECT query_to_xml(format('SELECT t::text FROM %I.%I AS t', schemaname, tablename), true, true, '')::text AS rows
          FROM pg_tables WHERE schemaname = 'cathedral'`,
        );
        return JSON.stringify(tables);
      },
      sql: (place) => (text) => store.sql(place, text),
      isShared: true,
    }),
  );
}

/** The stores as one program opens them, until the test ends. */
export async function opened(place: string, options?: StoreOptions): Promise<Stores> {
  const stores = await openStores(place, options);
  onTestFinished(() => stores.close().catch(() => undefined));
  return stores;
}

/** As three programs open them. */
export function openThree(place: string, options?: StoreOptions): Promise<[Stores, Stores, Stores]> {
  return Promise.all([opened(place, options), opened(place, options), opened(place, options)]);
}

async function bytesOf(folder: string): Promise<string> {
  let all = '';
  for await (const name of glob('**/*', { cwd: folder })) {
    const path = join(folder, name);
    if ((await stat(path)).isFile()) all += await readFile(path, 'latin1');
  }
  return all;
}
