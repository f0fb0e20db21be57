import { csvRow } from '../../artifacts/format/csv-row.ts';
import { CathedralError } from '../../errors.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { COLUMNS, type ExportRow, parseObject, type RowForm } from './export-row.ts';

/** An entry of the log with the row that the export has of it. */
export interface FoundEntry {
  index: number;
  event: LedgerEvent;
  row: ExportRow;
}

/** The hash shows that the line is one of the ledger, which validated it. Here it is only parsed. Throws log_invalid. */
export function entryRow(line: Uint8Array, index: number, hash: string): FoundEntry {
  const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString();
  const event = parseObject(text) as unknown as LedgerEvent | null;
  if (!event) {
    const found = JSON.stringify(text.slice(0, 80));
    throw new CathedralError('log_invalid', { place: `entry ${index}`, expected: 'an event', found });
  }
  const { timestamp, type, agent } = event;
  const data = JSON.stringify(event.data);
  return { index, event, row: { timestamp, event_type: type, agent, data, attestation_hash: `0x${hash}` } };
}

/** The row as the service writes it, without a line end. */
export function formatRow(form: RowForm, row: ExportRow): string {
  if (form === 'csv') return csvRow(COLUMNS.map((name) => row[name])).slice(0, -1);
  const { timestamp, event_type, agent, data, attestation_hash } = row;
  return `{"timestamp":"${timestamp}","event_type":"${event_type}","agent":${JSON.stringify(agent)},"data":${data},"attestation_hash":"${attestation_hash}"}`;
}
