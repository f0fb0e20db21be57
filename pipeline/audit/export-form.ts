import { isDeepStrictEqual } from 'node:util';
import { csvHeader, csvRow } from '../artifacts/format/csv.ts';
import { ledgerExport } from '../artifacts/government/ledger-export.ts';
import { csvCells } from '../formats/csv-cells.ts';

/** A row of the export, whichever its form. */
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

/** How rows stand in a file. */
export interface RowForm {
  /** The row as the service writes it, without a line end. */
  format: (row: ExportRow) => string;
  /** Null where it is not a row. */
  parse: (text: string) => ExportRow | null;
}

export const CSV_HEADER = csvHeader(ledgerExport.schema).trimEnd();

export const CSV_ROWS: RowForm = {
  format: (row) => csvRow(COLUMNS.map((name) => row[name])).slice(0, -1),
  parse(text) {
    const cells = csvCells(`${text}\n`);
    const [row] = cells;
    if (cells.length !== 1 || row!.length !== COLUMNS.length) return null;
    return Object.fromEntries(COLUMNS.map((name, index) => [name, row![index]!])) as Record<
      keyof ExportRow,
      string
    >;
  },
};

export const JSON_ROWS: RowForm = {
  format: ({ timestamp, event_type, agent, data, attestation_hash }) =>
    `{"timestamp":"${timestamp}","event_type":"${event_type}","agent":${JSON.stringify(agent)},"data":${data},"attestation_hash":"${attestation_hash}"}`,
  parse(text) {
    const row = parseObject(text);
    if (!row || Object.keys(row).sort().join() !== COLUMNS.toSorted().join()) return null;
    const { data, ...texts } = row;
    if (Object.values(texts).some((value) => typeof value !== 'string')) return null;
    return { ...texts, data: JSON.stringify(data) } as ExportRow;
  },
};

/** The columns in which two rows say different things; how JSON is spelt makes no difference. */
export function differences(row: ExportRow, expected: ExportRow): (keyof ExportRow)[] {
  return COLUMNS.filter((name) => {
    if (row[name] === expected[name]) return false;
    return name !== 'data' || !isDeepStrictEqual(parseObject(row.data), parseObject(expected.data));
  });
}

/** Whether a row cannot be an edited form of the one that is expected: then it has neither its hash, nor its time and type. */
export function isOther(row: ExportRow, expected: ExportRow): boolean {
  const changed = new Set(differences(row, expected));
  return changed.has('attestation_hash') && (changed.has('timestamp') || changed.has('event_type'));
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
