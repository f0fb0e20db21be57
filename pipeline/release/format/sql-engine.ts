/**
 * The SQL engine that a reader's browser loads when the reader starts it: DuckDB as its package has it. The names have its version, so the
 * files never change.
 */
export const SQL_ENGINE = {
  version: '1.32.0',
  worker: '_astro/duckdb-eh-1.32.0.worker.js',
  /** A ZIP archive with one entry: some hosts take no files as long as the WebAssembly itself, and a mirror stores and sends a quarter. */
  archive: '_astro/duckdb-eh-1.32.0.zip',
  wasm: 'duckdb-eh.wasm',
} as const;
