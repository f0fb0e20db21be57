import { isUnambiguousJson } from '../../ledger/events/json.ts';

/** How a file represents rows. JSON and NDJSON differ in what is between them. */
export type RowForm = 'csv' | 'json' | 'ndjson';

/** A row of the export in any format. */
export interface ExportRow {
  timestamp: string;
  event_type: string;
  agent: string;
  /** JSON text. */
  data: string;
  /** `0x` and 64 hex digits. */
  attestation_hash: string;
}

export const COLUMNS = ['timestamp', 'event_type', 'agent', 'data', 'attestation_hash'] as const;

/** Null if the text is not a row. */
export function parseRow(form: RowForm, text: string): ExportRow | null {
  return form === 'csv' ? parseCsvRow(text) : parseJsonRow(text);
}

/** A line of a CSV file without its line end; null if it is not a row. */
export function parseCsvRow(text: string): ExportRow | null {
  const rows = csvRows(text);
  if (rows?.length !== 1 || rows[0]!.length !== COLUMNS.length) return null;
  return Object.fromEntries(COLUMNS.map((name, index) => [name, rows[0]![index]!])) as Record<
    keyof ExportRow,
    string
  >;
}

/** A line of a JSON or NDJSON file without its comma; null if it is not a row. */
export function parseJsonRow(text: string): ExportRow | null {
  const row = parsePlainObject(text);
  if (!row || Object.keys(row).sort().join() !== COLUMNS.toSorted().join()) return null;
  const { data, ...texts } = row;
  if (Object.values(texts).some((value) => typeof value !== 'string')) return null;
  return { ...texts, data: JSON.stringify(data) } as ExportRow;
}

/** Null if it is none, or if a reader may take another value from it: one that keeps the first of two members of a name, not the last. */
export function parsePlainObject(text: string): Record<string, unknown> | null {
  const value = parseObject(text);
  return value && isUnambiguousJson(text, value) ? value : null;
}

export function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The cells of a text without its last line end, as in RFC 4180; null if quotes do not close or something follows them. */
export function csvRows(text: string, separator: ',' | '\t' = ','): string[][] | null {
  const cell = new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"\\n${separator}][^\\n${separator}]*|))(${separator}|\\n)`,
    'gy',
  );
  const rows: string[][] = [];
  let row: string[] = [];
  let end = 0;
  for (const [all, quoted, plain, ending] of `${text}\n`.matchAll(cell)) {
    end += all.length;
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (ending !== '\n') continue;
    rows.push(row);
    row = [];
  }
  return end === text.length + 1 ? rows : null;
}
