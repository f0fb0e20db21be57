/** The SQL engine that a reader's browser loads when the reader starts it. Its name has its version, so it never changes. */
export const SQL_ENGINE = {
  version: '1.32.0',
  /** A ZIP archive with one entry: some hosts take no files as long as the WebAssembly itself, and a mirror stores and sends a quarter. */
  path: '_astro/duckdb-eh-1.32.0.zip',
  wasm: 'duckdb-eh.wasm',
} as const;
