import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { copyTables, databaseTables, fileTables } from '../../../src/sidecar/storage/copy-tables.ts';
import { postgresWebhooks, sqliteWebhooks } from '../../../src/sidecar/webhooks/webhook-databases.ts';
import { WEBHOOK_TABLES, WebhookStore } from '../../../src/sidecar/webhooks/webhook-store.ts';
import { hasPostgres, PostgresServer } from '../../engines/postgres.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';
import { describeWebhookStore, newWebhook } from './webhook-store-contract.ts';

function open(path: string): WebhookStore {
  const store = new WebhookStore(sqliteWebhooks(path));
  onTestFinished(() => store.close());
  return store;
}

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), 'private', 'webhooks.db');
}

describeWebhookStore('sqlite', async () => {
  const path = await newPath();
  return [open(path), open(path), open(path)];
});

test('the file with the secrets can be read by its owner alone, and is refused if it is something else', async () => {
  const path = await newPath();
  await open(path).add(newWebhook('w_1'), ['k_a'], 5);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(() => sqliteWebhooks(import.meta.filename)).toThrow(/not a database/);
});

describe.skipIf(!hasPostgres)('in PostgreSQL', () => {
  let server: PostgresServer;
  let databases: Database[];

  beforeAll(async () => {
    server = await PostgresServer.start({ settings: ["lc_messages = 'C'"] });
    const address = await server.newDatabase();
    databases = await Promise.all(
      [1, 2, 3].map((n) => openDatabase(address, { application: `program ${n}`, connections: 4 })),
    );
  });

  afterAll(async () => {
    await Promise.all((databases ?? []).map((database) => database.close()));
    server?.stop();
  });

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
    const [from, to] = [await newPath(), await newPath()];
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
