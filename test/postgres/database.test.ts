import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Database, type DatabaseOptions, openDatabase } from '../../pipeline/postgres/database.ts';
import { hasPostgres, PostgresServer } from '../engines/postgres.ts';

const NUMBERS = [{ name: 'numbers', sql: 'CREATE TABLE cathedral.numbers (n bigint PRIMARY KEY)' }];

async function open(address: string, options: Partial<DatabaseOptions> = {}): Promise<Database> {
  const database = await openDatabase(address, {
    application: 'a test',
    connections: 4,
    migrations: NUMBERS,
    ...options,
  });
  onTestFinished(() => database.close());
  return database;
}

describe.skipIf(!hasPostgres)('a database', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;

  beforeAll(async () => {
    primary = await PostgresServer.start();
    standby = await primary.addStandby();
  });

  afterAll(() => primary?.stop());

  test('commits transactions, and reads bigint as numbers', async () => {
    const database = await open(await primary.newDatabase());
    await database.transaction(async (query) => {
      await query('INSERT INTO cathedral.numbers VALUES ($1), ($2)', [1, 2 ** 40]);
    });
    const failing = database.transaction(async (query) => {
      await query('INSERT INTO cathedral.numbers VALUES (3)');
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    const { rows } = await database.query('SELECT n FROM cathedral.numbers ORDER BY n');
    expect(rows).toEqual([{ n: 1 }, { n: 2 ** 40 }]);
    expect(Math.abs(database.clock())).toBeLessThan(1000);
  });

  test('delivers notifications, and says when some may have been lost', async () => {
    const database = await open(await primary.newDatabase());
    const heard: string[] = [];
    database.listen('news', (payload) => heard.push(payload));
    await expect.poll(() => heard).toEqual(['']);
    await database.query("SELECT pg_notify('news', '7')");
    await expect.poll(() => heard).toEqual(['', '7']);
    await database.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
    await expect.poll(() => heard).toEqual(['', '7', '']);
  });

  test('goes on with the standby that was promoted, with every committed row', async () => {
    const database = await open(await primary.newDatabase(standby));
    await database.query('INSERT INTO cathedral.numbers VALUES (1)');
    await primary.kill();
    await expect(database.query('SELECT 1')).rejects.toThrow(/one server that takes writes.*store_failed/);
    standby.promote();
    await sleep(300);
    expect((await database.query('SELECT n FROM cathedral.numbers')).rows).toEqual([{ n: 1 }]);
  });
});
