import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../pipeline/postgres/database.ts';
import { STEPS } from '../../../pipeline/postgres/migrations.ts';
import { SqliteFile, type SqliteForm } from '../../../pipeline/sql/sqlite-file.ts';
import { COUNT_FILE, KEY_FILE, LOG_FILE } from '../../../pipeline/sql/tables.ts';
import { openLogIn } from '../../../src/sidecar/access-log/access-log.ts';
import { readLog } from '../../../src/sidecar/access-log/log-reader.ts';
import { verifyAccessLog } from '../../../src/sidecar/access-log/verify-access-log.ts';
import { keyStoreIn, openKeyStore } from '../../../src/sidecar/keys/key-store.ts';
import { countStoreIn, openCountStore } from '../../../src/sidecar/limits/count-store.ts';
import { failureOf, temporaryFolder } from '../../release/temporary-folder.ts';
import { useStore } from '../../setups/use-store.ts';
import { logFile, openTemporaryLog } from '../access-log/open-temporary-log.ts';
import { sampleAccess } from '../access-log/sample-access.ts';
import { newKey } from '../keys/new-key.ts';

const postgres = useStore();

const TAKE = { day: '2025-12-01', area: 'economy', subject: 'holder:a', limit: 9 } as const;

/** The schema of a later version of this program, which adds a column to a table. */
function later(schema: SqliteForm, table: string): SqliteForm {
  const step = `ALTER TABLE ${table} ADD COLUMN note TEXT NOT NULL DEFAULT 'new'`;
  return { ...schema, steps: [...schema.steps, step] };
}

const versionOf = (database: DatabaseSync) => database.prepare('PRAGMA user_version').get()?.user_version;

interface Stored {
  schema: SqliteForm;
  /** With one row; it gets the column. */
  table: string;
  path: string;
  /** What this program does that has the file open, and has to go on. */
  goesOn: () => Promise<unknown>;
  open: () => unknown;
}

const FILES: Record<string, () => Promise<Stored>> = {
  async keys() {
    const path = join(await temporaryFolder(), 'keys.db');
    const store = await openKeyStore(path);
    onTestFinished(() => store.close());
    await store.addKey(newKey('a'));
    const goesOn = () => store.addKey(newKey('b'));
    return { schema: KEY_FILE, table: 'keys', path, goesOn, open: () => openKeyStore(path) };
  },
  async counts() {
    const path = join(await temporaryFolder(), 'limits.db');
    const store = await openCountStore(path);
    onTestFinished(() => store.close());
    await store.takeAll([TAKE]);
    const goesOn = async () => {
      await store.check();
      await store.takeAll([{ ...TAKE, subject: 'holder:b' }]);
    };
    return { schema: COUNT_FILE, table: 'counts', path, goesOn, open: () => openCountStore(path) };
  },
  async 'access log'() {
    const { dir, log } = await openTemporaryLog();
    await log.append(sampleAccess(0));
    const goesOn = async () => {
      await log.check();
      await log.append(sampleAccess(1));
      await log.close();
    };
    const path = logFile(dir);
    return {
      schema: LOG_FILE,
      table: 'access_log_entries',
      path,
      goesOn,
      open: () => openTemporaryLog({ dir }),
    };
  },
};

describe.each(Object.entries(FILES))('a file with %s', (_, prepare) => {
  test('is brought to a later version once, with its rows; programs of this one go on, and none starts', async () => {
    const { schema, table, path, goesOn, open } = await prepare();
    const next = later(schema, table);
    const database = new DatabaseSync(path);
    onTestFinished(() => database.close());
    const before = database.prepare(`SELECT * FROM ${table}`).all();
    expect([before.length, versionOf(database)]).toEqual([1, 1]);
    for (const _ of ['first', 'second']) new SqliteFile(path, next, { mustExist: true }).close();
    const after = { ...before[0], note: 'new' };
    expect(database.prepare(`SELECT * FROM ${table}`).all()).toEqual([after]);
    await goesOn();
    expect(database.prepare(`SELECT * FROM ${table}`).all()).toEqual([
      after,
      expect.objectContaining({ note: 'new' }),
    ]);
    expect(versionOf(database)).toBe(2);
    const failure = await failureOf(async () => open());
    expect(failure).toMatchObject({
      code: table === 'keys' ? 'keys_unreadable' : 'store_failed',
      place: path,
      expected: `${schema.name} of version 1 or lower`,
      found: 'version 2, of a later version of this program',
    });
    expect(versionOf(database)).toBe(2);
  });

  test('keeps its version if a step fails', async () => {
    const { schema, table, path } = await prepare();
    const next = later(schema, table);
    const database = new DatabaseSync(path);
    onTestFinished(() => database.close());
    const before = database.prepare(`SELECT * FROM ${table}`).all();
    const failing = { ...next, steps: [...next.steps, next.steps[1]!] };
    const opening = () => new SqliteFile(path, failing, { mustExist: true });
    expect(opening).toThrow(/duplicate column name: note/);
    expect(database.prepare(`SELECT * FROM ${table}`).all()).toEqual(before);
    expect(versionOf(database)).toBe(1);
  });
});

describe.skipIf(postgres.isMissing)('a database of many machines', () => {
  const NEXT = [
    ...STEPS,
    `ALTER TABLE cathedral.keys ADD COLUMN note text NOT NULL DEFAULT 'new';
    ALTER TABLE cathedral.counts ADD COLUMN note text NOT NULL DEFAULT 'new';
    ALTER TABLE cathedral.access_log_entries ADD COLUMN note text NOT NULL DEFAULT 'new';
    ALTER TABLE cathedral.signing_record ADD COLUMN note text NOT NULL DEFAULT 'new';`,
  ];

  async function open(address: string, steps = STEPS): Promise<Database> {
    const database = await openDatabase(address, { application: 'a test', connections: 2, steps });
    onTestFinished(() => database.close());
    return database;
  }

  test('is brought to a later version once, with its rows, while programs of this one go on; another one is refused', async () => {
    const address = await postgres.newDatabase('nothing');
    const running = await open(address);
    const [keys, counts, log] = [keyStoreIn(running), countStoreIn(running), openLogIn(running)];
    onTestFinished(() => log.close());
    await keys.addKey(newKey('a'));
    await counts.takeAll([TAKE]);
    await log.append(sampleAccess(0));

    const [database] = await Promise.all([1, 2, 3].map(() => open(address, NEXT)));
    const rowsOf = async (table: string) => (await database!.query(`SELECT * FROM cathedral.${table}`)).rows;
    for (const table of ['keys', 'counts', 'access_log_entries', 'signing_record'])
      expect(await rowsOf(table), table).toMatchObject([{ note: 'new' }]);
    expect((await rowsOf('migrations')).map(({ step }) => step).sort()).toEqual([1, 2]);

    await keys.addKey(newKey('b', { email: 'bo@example.edu' }));
    expect(await counts.takeAll([TAKE])).toEqual([2]);
    await log.append(sampleAccess(1));
    expect(await verifyAccessLog(readLog(running))).toMatchObject({ faults: [] });
    expect(await keys.keys()).toHaveLength(2);
    for (const whenUnreachable of ['fail', 'retry'] as const) {
      const failure = await failureOf(() =>
        openDatabase(address, { application: 'a test', connections: 1, whenUnreachable }),
      );
      expect(failure).toMatchObject({
        code: 'store_failed',
        place: running.name,
        expected: 'the schema cathedral of version 1 or lower',
        found: 'version 2, of a later version of this program',
      });
    }
  });

  test('keeps its version if a step fails', async () => {
    const address = await postgres.newDatabase('nothing');
    await open(address);
    await expect(open(address, [...NEXT, NEXT[1]!])).rejects.toThrow(/column "note" .* already exists/);
    const { rows } = await (await open(address)).query('SELECT step FROM cathedral.migrations');
    expect(rows).toEqual([{ step: 1 }]);
  });
});
