import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { hasPostgres, PostgresServer } from '../engines/postgres.ts';
import { engine } from './engine.ts';

export interface SharedStore {
  /** Whether PostgreSQL is not installed: `describe.skipIf(store.isMissing)`. */
  isMissing: boolean;
  /** The address of a new database with the schema of the service, or without any. It is dropped after the file's last test. */
  newDatabase: (of?: 'schema' | 'nothing') => Promise<string>;
  /** Drops the database at an address before the file's last test. */
  drop: (address: string) => Promise<void>;
  /** The server, which is to go on for the other files of the run. */
  server: () => Promise<PostgresServer>;
  /** Runs statements in the database at an address, and returns the rows of the last one. */
  sql: (address: string, text: string) => Promise<Record<string, unknown>[]>;
}

/**
 * The one PostgreSQL of a run, started by whichever test needs it first. Called once by a file, outside its tests:
 * `const store = useStore();`. A file that stops, kills or freezes its server starts one with `PostgresServer.start()`.
 */
export function useStore(): SharedStore {
  const made: string[] = [];
  let found: Promise<[PostgresServer, string]> | null = null;
  const find = async (): Promise<[PostgresServer, string]> => {
    const { folder, port, template } = await engine<{ folder: string; port: number; template: string }>(
      'postgres',
    );
    return [PostgresServer.at(folder, port), template];
  };
  const server = () => {
    found ??= find();
    return found;
  };
  const drop = async (name: string) => {
    const [running] = await server();
    await running.sql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  afterAll(async () => {
    for (const name of made.splice(0)) await drop(name);
  });
  return {
    isMissing: !hasPostgres,
    server: async () => (await server())[0],
    async newDatabase(of = 'schema') {
      const [running, template] = await server();
      const name = `t${randomUUID().replaceAll('-', '')}`;
      await running.sql(`CREATE DATABASE ${name}${of === 'schema' ? ` TEMPLATE ${template}` : ''}`);
      made.push(name);
      return `postgres://owner@127.0.0.1:${running.port}/${name}`;
    },
    drop: (address) => drop(nameIn(address)),
    async sql(address, text) {
      return (await server())[0].sql(text, nameIn(address));
    },
  };
}

function nameIn(address: string): string {
  return new URL(address).pathname.slice(1);
}
