import { stringify } from 'csv-stringify/sync';
import { COLUMNS, type Entry } from './entry.ts';
import type { LogReader, Period } from './log-reader.ts';

export const EXPORT_FORMATS = ['csv', 'json', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions extends Period {
  format: ExportFormat;
}

interface Form {
  head: (period: Period) => string;
  /** `isFirst`: only the head has been written so far. */
  rows: (entries: readonly Entry[], isFirst: boolean) => string;
  tail: (count: number) => string;
}

const FORMS: Record<ExportFormat, Form> = {
  csv: {
    head: () => `${COLUMNS.join(',')}\n`,
    rows: (entries) => stringify(entries as Entry[], { columns: [...COLUMNS] }),
    tail: () => '',
  },
  ndjson: {
    head: () => '',
    rows: (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
    tail: () => '',
  },
  json: {
    head: ({ from, to }) => `{"from":${formatBound(from)},"to":${formatBound(to)},"entries":[`,
    rows: (entries, isFirst) =>
      `${isFirst ? '' : ','}\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}`,
    // `complete` comes last, so that a truncated export can be detected.
    tail: (count) => `\n],"count":${count},"complete":true}\n`,
  },
};

/**
 * The entries of a period with their hashes, oldest first, a few hundred at a time. Servers may write meanwhile. Throws store_failed if the log
 * is unreadable.
 */
export async function* exportAccessLog(
  log: LogReader,
  { from, to, format }: ExportOptions,
): AsyncGenerator<string> {
  const { head, rows, tail } = FORMS[format];
  yield head({ from, to });
  let count = 0;
  const { seq: beginning } = await log.readStart();
  for await (const entries of log.entriesAfter(beginning, { from, to })) {
    yield rows(entries, count === 0);
    count += entries.length;
  }
  yield tail(count);
}

function formatBound(time: number): string {
  return Number.isFinite(time) ? JSON.stringify(new Date(time).toISOString()) : 'null';
}
