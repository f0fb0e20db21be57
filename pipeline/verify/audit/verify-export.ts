import { ledgerExport } from '../../artifacts/government/ledger-export.ts';
import { CathedralError } from '../../errors.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { compareRows, type Excuses, type RowFinding } from '../rows/compare-rows.ts';
import { EXPORT_TABLE } from '../rows/export-table.ts';
import type { HistoryForm } from '../rows/history-table.ts';
import { type LogRow, LogRows, withoutEnd } from '../rows/log-rows.ts';
import { parseObject } from '../rows/row-text.ts';
import type { LogEntries } from './log-entries.ts';
import type { ExportFile } from './read-export.ts';

export interface ExportVerdict {
  /** Rows read. */
  rows: number;
  /** Entries of the log in the period that match the filter. */
  entries: number;
  /** Timestamps of the oldest and the newest of these entries; null: there are none. */
  period: { from: string; to: string } | null;
  faults: RowFinding[];
  /** The time of the log's last entry if the period extends beyond it, else null. */
  logEndsAt: string | null;
  /** There were too many faults to read the file to its end. */
  isAbandoned: boolean;
}

export interface ExportOptions {
  /** The beginning of the export's period; null: of the ledger. Undefined: the time of its oldest row. */
  from: string | null | undefined;
  /** The end of the period; undefined: the time of its newest row. */
  to: string | undefined;
  /** The filter that the export was made with; null: all events. */
  wanted: ((event: LedgerEvent, hash: string) => boolean) | null;
}

/** An entry of the log, as the export has it. */
interface EntryRow extends LogRow {
  entry: LedgerEvent;
  hash: string;
}

/**
 * Compares an export, newest row first, with a log: each row with the entry of its hash, and all rows with the entries of the
 * period. Keeps a chunk of the file, some bundles, and the missing entries in memory.
 */
export async function verifyExport(
  file: ExportFile,
  log: LogEntries,
  options: ExportOptions,
): Promise<ExportVerdict> {
  const all = entryRows(log, file.form);
  const rows = await inPeriod(all, options);
  const { from, to } = options;
  const hasRows = (await file.rows.peek()) !== null;
  const start = to !== undefined ? { start: await rows.newest() } : hasRows ? {} : { start: null };
  const compared = await compareRows(file.rows, rows, excusesOf(all, options), {
    table: EXPORT_TABLE,
    form: file.form,
    ...start,
    endsAnywhere: from === undefined,
  });
  const { findings: faults, expected: entries, newest, oldest, isAbandoned } = compared;
  const timeAt = async (place: number) => (await rows.at(place)).time;
  const period =
    newest === null || oldest === null ? null : { from: await timeAt(oldest), to: await timeAt(newest) };
  const logEndsAt = await endBefore(to, all);
  return { rows: compared.rows, entries, period, faults, logEndsAt, isAbandoned };
}

/** A row for every entry, each verified against the checkpoint; a block is a bundle. */
function entryRows(log: LogEntries, form: HistoryForm): LogRows<EntryRow> {
  return new LogRows(log.bundles, async (number) => {
    const { first, lines, hashes } = await log.bundle(number);
    return lines.map((line, at) => rowOf(form, line, first + at, hashes[at]!)).reverse();
  });
}

/** The hash shows that the line is one of the ledger, which validated it. Here it is only parsed. Throws log_invalid. */
function rowOf(form: HistoryForm, line: Uint8Array, index: number, hash: string): EntryRow {
  const text = Buffer.from(line.buffer, line.byteOffset, line.length).toString();
  const entry = parseObject(text) as unknown as LedgerEvent | null;
  if (!entry) {
    const found = JSON.stringify(text.slice(0, 80));
    throw new CathedralError('log_invalid', { place: `entry ${index}`, expected: 'an event', found });
  }
  const [row] = ledgerExport.rows({ event: entry, hash });
  const { timestamp, type: event_type, agent, data } = entry;
  const attestation_hash = `0x${hash}`;
  return {
    text: withoutEnd(row!),
    ...(form !== 'csv' && {
      spelt: JSON.stringify({ timestamp, event_type, agent, data, attestation_hash }),
    }),
    time: timestamp,
    event: index,
    links: null,
    timestamp,
    entry,
    hash: attestation_hash,
  };
}

/** The rows of the period that pass the filter, in the blocks that may have some. */
async function inPeriod(all: LogRows<EntryRow>, options: ExportOptions): Promise<LogRows<EntryRow>> {
  const { from, to } = options;
  const blockBefore = async (isBefore: (row: EntryRow) => boolean) => {
    const place = await all.newestWhere(isBefore);
    return place === null ? null : all.blockOf(place);
  };
  const first = from == null ? 0 : ((await blockBefore(({ time }) => isBefore(time, from))) ?? 0);
  const last =
    to === undefined ? all.blocks - 1 : ((await blockBefore(({ time }) => !isBefore(to, time))) ?? -1);
  return new LogRows(Math.max(0, last - first + 1), async (number) =>
    (await all.block(first + number)).filter((row) => reasonAgainst(row, options) === null),
  );
}

/** Why an entry does not belong in the export; null: it does. */
function reasonAgainst({ time, entry, hash }: EntryRow, { from, to, wanted }: ExportOptions): string | null {
  const isOutside = (from != null && isBefore(time, from)) || (to !== undefined && isBefore(to, time));
  if (isOutside) return 'of the log is outside the period';
  return !wanted || wanted(entry, hash) ? null : 'does not match the filter';
}

function isBefore(one: string, other: string): boolean {
  return compareTimestamps(one, other) < 0;
}

/** The time of the log’s last entry if it is earlier than this time, else null. */
async function endBefore(to: string | undefined, all: LogRows): Promise<string | null> {
  const newest = to === undefined ? null : await all.newest();
  if (newest === null) return null;
  const { time } = await all.at(newest);
  return isBefore(time, to!) ? time : null;
}

/** All entries are shown, so nothing is excused. A row that the export should not have may be of an entry that is elsewhere in the log. */
function excusesOf(all: LogRows<EntryRow>, options: ExportOptions): Excuses {
  return {
    exempts: () => null,
    carried: () => null,
    excuse: async () => null,
    async added({ timestamp, attestation_hash: hash }) {
      for (const place of await all.ofTime(timestamp!)) {
        const row = await all.at(place);
        if (row.hash === hash)
          return `event ${row.event} ${reasonAgainst(row, options) ?? 'has another row, or comes elsewhere'}`;
      }
      return `the log has no event with the hash ${hash} at that time`;
    },
  };
}
