import { ledgerExport } from '../../artifacts/government/ledger-export.ts';
import { type HistoryTable, toTable } from './history-table.ts';

/** The audited export, which is restricted: its rows are compared as those of a history are. */
export const EXPORT_TABLE: HistoryTable = withData({
  ...toTable(ledgerExport, { from: 'event' }),
  list: 'events',
});

function withData(table: HistoryTable): HistoryTable {
  const columns = table.columns.map(
    ({ name, type }) => ({ name, type: name === 'data' ? 'object' : type }) as const,
  );
  return { ...table, columns };
}
