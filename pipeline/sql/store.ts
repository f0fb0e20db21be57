export interface Answer<Row> {
  rows: Row[];
  /** How many rows were written or returned. */
  count: number;
}

/**
 * Carries out a statement; values are `$1`, `$2` … in its text. With a `name`, which has to be that of this text only, each connection to a
 * server has it parsed and planned once; the text must then name its columns. Throws store_failed or config_invalid.
 */
// biome-ignore lint/suspicious/noExplicitAny: a row has the columns that the text names
export type Query = <Row = Record<string, any>>(
  text: string,
  values?: readonly unknown[],
  name?: string,
) => Promise<Answer<Row>>;

export type Engine = 'sqlite' | 'postgres';

/**
 * Where tables are: a file of this machine, or a database that several machines share. The statements of both are the same, and a test of the
 * contract runs on each. Tables are declared in tables.ts.
 */
export interface SqlStore {
  readonly engine: Engine;
  /** The path, or the address without its password. */
  readonly name: string;
  /** One statement, which is committed when this resolves. */
  query: Query;
  /**
   * Commits what `work` did, or nothing if it throws. `work` may run again after a conflict, so it may only have effects in the store. No other
   * transaction with the same `lock`, the name of a table, runs at the same time.
   */
  transaction<T>(work: (query: Query) => Promise<T>, lock?: string): Promise<T>;
  /** Writes, and changes nothing. Rejects if a write would. */
  check(): Promise<void>;
  /** Overwrites what was deleted, beyond recovery, where the engine does not do so by itself. */
  scrub(): Promise<void>;
  /** What to add to Date.now() to get the time of all who share the store, ms. */
  clock(): number;
  close(): Promise<void>;
}
