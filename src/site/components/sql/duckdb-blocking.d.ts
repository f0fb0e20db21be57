/** What this site uses of `duckdb-browser-blocking.mjs`, for which its package has types that need those of Emscripten. */
declare module '@duckdb/duckdb-wasm/blocking' {
  import type { RecordBatch } from 'apache-arrow';

  export interface Connection {
    /** Runs statements, and gives nothing back. */
    query(sql: string): unknown;
    /** Begins a statement; `true`: its result comes in pieces. */
    send(sql: string, streams: boolean): Promise<Iterable<RecordBatch> & { schema: RecordBatch['schema'] }>;
    getTableNames(sql: string): string[];
    close(): void;
  }

  export interface Database {
    instantiate(progress: () => void): Promise<unknown>;
    open(config: { path: string }): void;
    connect(): Connection;
    registerFileBuffer(name: string, bytes: Uint8Array): void;
    dropFile(name: string): void;
    getVersion(): string;
  }

  interface Bundle {
    mainModule: string;
    mainWorker: string;
  }

  export const BROWSER_RUNTIME: unique symbol;
  export class VoidLogger {}
  export function createDuckDB(
    bundles: { mvp: Bundle; eh: Bundle },
    logger: VoidLogger,
    runtime: typeof BROWSER_RUNTIME,
  ): Promise<Database>;
}
