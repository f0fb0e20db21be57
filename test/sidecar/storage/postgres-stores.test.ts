import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { postgresKeyStore } from '../../../src/sidecar/keys/postgres-key-store.ts';
import { postgresCountStore } from '../../../src/sidecar/limits/postgres-count-store.ts';
import { secretOfDatabase } from '../../../src/sidecar/simulation/resume-secret.ts';
import { hasPostgres, PostgresServer } from '../../engines/postgres.ts';
import { describeKeyStore } from '../keys/key-store-contract.ts';
import { testCountStore } from '../limits/count-store-contract.ts';

describe.skipIf(!hasPostgres)('in PostgreSQL', () => {
  let server: PostgresServer;
  let address: string;
  let databases: Database[];

  beforeAll(async () => {
    server = await PostgresServer.start({ settings: ["lc_messages = 'C'", "datestyle = 'German'"] });
    address = await server.newDatabase();
    databases = await Promise.all(
      [1, 2, 3].map((n) => openDatabase(address, { application: `program ${n}`, connections: 4 })),
    );
  });

  afterAll(async () => {
    await Promise.all((databases ?? []).map((database) => database.close()));
    server?.stop();
  });

  describeKeyStore('PostgreSQL', async () => {
    await databases[0]!.query('TRUNCATE cathedral.keys, cathedral.holders, cathedral.verifications');
    return databases.map(postgresKeyStore);
  });

  describe('counts', () => {
    testCountStore(async () => {
      await databases[0]!.query('TRUNCATE cathedral.counts, cathedral.count_secrets');
      return databases.map(postgresCountStore);
    });

    test('of a past day leave no table behind, with the rights of a server only', async () => {
      await server.sql(await readFile('deploy/postgres-roles.sql', 'utf8'), 'db1');
      const restricted = address.replace('owner', 'cathedral_service');
      const database = await openDatabase(restricted, { application: 'a server', connections: 2 });
      onTestFinished(() => database.close());
      const store = postgresCountStore(database);
      const take = { day: '2025-12-31', area: 'economy', subject: 'holder:a', limit: 1 } as const;
      const tables = async () => {
        const { rows } = await databases[0]!.query(
          "SELECT relname FROM pg_class WHERE relname LIKE 'count%2025%' AND relkind = 'r' ORDER BY 1",
        );
        return rows.map(({ relname }) => relname);
      };
      for (const day of ['2025-12-30', '2025-12-31']) await store.secret(day, Uint8Array.of(1));
      expect(await store.takeAll([take, take])).toEqual([1, null]);
      await store.prune('2025-12-31');
      expect(await tables()).toEqual(['count_secrets_20251231', 'counts_20251231']);
      await expect(store.prune('2100-01-01')).rejects.toThrow(/the counts of .*2099.* are in use/);
      await store.check();
    });
  });

  test('the secret of simulations is made once, by whichever server is first', async () => {
    const [one, two] = databases as [Database, Database, Database];
    const secrets = await Promise.all([one, two, one, two].map((each) => secretOfDatabase(each)));
    for (const secret of secrets) expect(secret).toEqual(secrets[0]);
    expect(secrets[0]).toHaveLength(32);
  });
});
