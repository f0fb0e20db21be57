import { isDeepStrictEqual } from 'node:util';
import { csvHeader, csvRow } from '../../artifacts/format/csv.ts';
import { ledgerExport } from '../../artifacts/government/ledger-export.ts';
import { COLUMNS, type ExportRow, parseCsvRow, parseJsonRow, parseObject } from './export-row.ts';

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
  parse: parseCsvRow,
};

export const JSON_ROWS: RowForm = {
  format: ({ timestamp, event_type, agent, data, attestation_hash }) =>
    `{"timestamp":"${timestamp}","event_type":"${event_type}","agent":${JSON.stringify(agent)},"data":${data},"attestation_hash":"${attestation_hash}"}`,
  parse: parseJsonRow,
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
