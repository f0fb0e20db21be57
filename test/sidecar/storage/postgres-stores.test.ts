import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { postgresKeyStore } from '../../../src/sidecar/keys/postgres-key-store.ts';
import { postgresCountStore } from '../../../src/sidecar/limits/postgres-count-store.ts';
import { secretOfDatabase } from '../../../src/sidecar/simulation/resume-secret.ts';
import { copyTables, databaseTables, fileTables } from '../../../src/sidecar/storage/copy-tables.ts';
import { postgresWebhooks, sqliteWebhooks } from '../../../src/sidecar/webhooks/webhook-databases.ts';
import { WEBHOOK_TABLES, WebhookStore } from '../../../src/sidecar/webhooks/webhook-store.ts';
import { hasPostgres, PostgresServer } from '../../engines/postgres.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { describeKeyStore } from '../keys/key-store-contract.ts';
import { testCountStore } from '../limits/count-store-contract.ts';
import { describeWebhookStore, newWebhook } from '../webhooks/webhook-store-contract.ts';

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

  describe('webhooks', () => {
    const empty = () =>
      databases[0]!.query(
        `TRUNCATE ${WEBHOOK_TABLES.map(({ database }) => `cathedral.${database}`).join(', ')}`,
      );

    describeWebhookStore('PostgreSQL', async () => {
      await empty();
      return databases.map((database) => new WebhookStore(postgresWebhooks(database)));
    });

    test('subscriptions, deliveries and what was announced are copied there and back', async () => {
      await empty();
      const folder = await temporaryFolder();
      const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
      const open = (path: string) => {
        const store = new WebhookStore(sqliteWebhooks(path));
        onTestFinished(() => store.close());
        return store;
      };
      const store = open(from);
      const first = { release: 'r1', asOf: '2026-03-02T06:00:00Z', minting: null };
      await store.announce(first, () => [], 1);
      await store.add(newWebhook('w_1'), ['k_a'], 5);
      await store.announce(
        { ...first, release: 'r2', minting: true },
        () => [{ id: 'msg_a', type: 'release.published', body: '{}' }],
        2,
      );
      const [claimed] = await store.claim(3, 1, 'c');
      await store.finish(claimed!, { at: 3, status: null, ms: 1, error: 'x' }, { kind: 'retry', at: 9 });
      const set = { part: 'webhooks', tables: WEBHOOK_TABLES, day: null };
      const fileOf = (path: string) => fileTables(path, () => sqliteWebhooks(path).close());
      const there = await copyTables(set, fileOf(from), databaseTables(databases[0]!));
      const back = await copyTables(set, databaseTables(databases[0]!), fileOf(to));
      expect([there.isNew, back.isNew, back.digest]).toEqual([true, true, there.digest]);
      expect(there.rows).toEqual({
        webhooks: 1,
        webhook_events: 1,
        webhook_deliveries: 1,
        webhook_attempts: 1,
        webhook_announced: 1,
      });
      expect(await open(to).claim(9, 1, 'd')).toHaveLength(1);
    });
  });

  test('the secret of simulations is made once, by whichever server is first', async () => {
    const [one, two] = databases as [Database, Database, Database];
    const secrets = await Promise.all([one, two, one, two].map((each) => secretOfDatabase(each)));
    for (const secret of secrets) expect(secret).toEqual(secrets[0]);
    expect(secrets[0]).toHaveLength(32);
  });
});
