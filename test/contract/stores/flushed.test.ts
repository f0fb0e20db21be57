import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqlite } from '../../../pipeline/sql/sqlite.ts';
import type { SqliteForm } from '../../../pipeline/sql/sqlite-file.ts';
import { COUNT_FILE, KEY_FILE, LOG_FILE } from '../../../pipeline/sql/tables.ts';
import { temporaryFolder } from '../../release/temporary-folder.ts';

/** https://www.sqlite.org/pragma.html#pragma_synchronous; no test of the project takes the power away from a database. */
test.each<[what: string, form: SqliteForm, journal: string, synchronous: number]>([
  ['keys is flushed with each transaction, its name included', KEY_FILE, 'delete', 3],
  ['counts is flushed from time to time', COUNT_FILE, 'wal', 1],
  ['the access log is flushed with each transaction', LOG_FILE, 'wal', 2],
])('the file of %s', async (_, form, journal, synchronous) => {
  const store = await openSqlite(join(await temporaryFolder(), 'stores/one.sqlite'), form);
  const pragma = async (name: string) =>
    Object.values((await store.query<object>(`PRAGMA ${name}`)).rows[0]!);
  expect([await pragma('journal_mode'), await pragma('synchronous')]).toEqual([[journal], [synchronous]]);
  await store.close();
});
