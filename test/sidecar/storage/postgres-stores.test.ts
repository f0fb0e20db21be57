import { readFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { countStoreIn } from '../../../src/sidecar/limits/count-store.ts';
import { useStore } from '../../setups/use-store.ts';

const store = useStore();

async function open(address: string): Promise<Database> {
  const database = await openDatabase(address, { application: 'a server', connections: 2 });
  onTestFinished(() => database.close());
  return database;
}

describe.skipIf(store.isMissing)('in PostgreSQL', () => {
  test('counts of a past day leave no table behind, with the rights of a server only, whatever its dates look like', async () => {
    const address = await store.newDatabase();
    await store.sql(address, await readFile('deploy/postgres-roles.sql', 'utf8'));
    await store.sql(address, `ALTER DATABASE ${new URL(address).pathname.slice(1)} SET datestyle = 'German'`);
    const counts = countStoreIn(await open(address.replace('owner', 'cathedral_service')));
    const take = { day: '2025-12-31', area: 'economy', subject: 'holder:a', limit: 1 } as const;
    const tables = async () => {
      const like = "relname LIKE 'count%2025%' AND relkind = 'r'";
      const rows = await store.sql(address, `SELECT relname FROM pg_class WHERE ${like} ORDER BY 1`);
      return rows.map(({ relname }) => relname);
    };
    for (const day of ['2025-12-30', '2025-12-31']) await counts.secret(day, Uint8Array.of(1));
    expect(await counts.takeAll([take, take])).toEqual([1, null]);
    await counts.prune('2025-12-31');
    expect(await tables()).toEqual(['count_secrets_20251231', 'counts_20251231']);
    await expect(counts.prune('2100-01-01')).rejects.toThrow(/the counts of .*2099.* are in use/);
    await counts.check();
  });
});
