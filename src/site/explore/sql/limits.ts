/** What is shown of a result, and what is saved of it; then the query is stopped. */
export const LIMITS = { shownRows: 1000, rows: 1_000_000, bytes: 64 << 20, cell: 10_000 } as const;
/** Of the browser's memory; 32 bits allow 4 GB. */
export const MEMORY = '1GB';

/** The address of a query; `asOf`: empty for the newest snapshot. */
export function sqlAddress(sql: string, asOf: string): string {
  return `/sql/?${new URLSearchParams({ q: sql, ...(asOf && { as_of: asOf }) })}`;
}
