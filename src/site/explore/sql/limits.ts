/** A result is shown up to so many rows, and saved up to these limits; then the query is stopped. */
export const LIMITS = { shownRows: 1000, rows: 1_000_000, bytes: 64 << 20, cell: 10_000 } as const;
/** Of the browser's memory; 32 bits allow 4 GB. */
export const MEMORY = '1GB';

export interface ResultColumn {
  name: string;
  /** As Arrow names it. */
  type: string;
  isNumber: boolean;
}

export interface QueryResult {
  columns: ResultColumn[];
  /** The first ones, as texts; null where there is no value. */
  shown: (string | null)[][];
  /** So far, if it was stopped. */
  rows: number;
  /** Why it was stopped; null: it is complete. */
  stopped: string | null;
  csv: Blob;
}

/** The address of a query; `asOf`: empty for the newest snapshot. */
export function sqlAddress(sql: string, asOf: string): string {
  return `/sql/?${new URLSearchParams({ q: sql, ...(asOf && { as_of: asOf }) })}`;
}
