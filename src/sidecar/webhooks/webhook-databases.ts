import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Query } from '../../../pipeline/postgres/connection.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import { asStoreError, type DatabaseSchema, openDatabase } from '../storage/open-database.ts';
import { StoreFile } from '../storage/store-file.ts';
import { FILE_SCHEMA, type WebhookDatabase } from './webhook-store.ts';

/** In a database that several machines share. Closing it leaves the database open. */
export function postgresWebhooks(database: Database): WebhookDatabase {
  return {
    query: database.query,
    transaction: (work) => database.transaction(work),
    schema: 'cathedral.',
    lock: 'FOR UPDATE',
    take: 'FOR UPDATE SKIP LOCKED',
    close: async () => undefined,
  };
}

const FORM: DatabaseSchema = { applicationId: 0x4341_5748, version: 1, schema: FILE_SCHEMA };

const SQLITE_BUSY = 5;
const RETRY_MS = 5;
/** Five seconds: another process writes for milliseconds. */
const RETRIES = 1000;

/** In a file that several processes of one machine may share, readable by its owner alone. */
export function sqliteWebhooks(path: string): WebhookDatabase {
  const file = new StoreFile(path, () => {
    // FULL: what a receiver was told stays told.
    const database = openDatabase(path, FORM, { synchronous: 'FULL' });
    database.exec('PRAGMA foreign_keys = ON');
    return { database };
  });
  // One connection: what awaits inside of a transaction must not meet another one.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => undefined);
    return turn;
  };
  const begin = async (): Promise<DatabaseSync> => {
    for (let retries = 0; ; retries += 1) {
      const { database } = file.take();
      try {
        database.exec('BEGIN IMMEDIATE');
        return database;
      } catch (error) {
        if ((error as { errcode?: number }).errcode !== SQLITE_BUSY || retries >= RETRIES) throw error;
      }
      await sleep(RETRY_MS);
    }
  };
  const transaction = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
    inTurn(async () => {
      try {
        const database = await begin();
        try {
          const result = await work(queryOf(database));
          database.exec('COMMIT');
          return result;
        } catch (error) {
          if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
          throw error;
        }
      } catch (error) {
        throw asStoreError(path, error);
      }
    });
  return {
    query: (text, values) => transaction((query) => query(text, values)),
    transaction,
    schema: '',
    lock: '',
    take: '',
    close: async () => {
      await last;
      file.close();
    },
  };
}

function queryOf(database: DatabaseSync): Query {
  return async <Row>(text: string, values: readonly unknown[] = []): Promise<Answer<Row>> => {
    const statement = database.prepare(text);
    const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value as SQLInputValue]));
    if (statement.columns().length > 0) {
      const rows = statement.all(named) as Row[];
      return { rows, count: rows.length };
    }
    return { rows: [], count: Number(statement.run(named).changes) };
  };
}
