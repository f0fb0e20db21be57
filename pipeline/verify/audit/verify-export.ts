import type { LedgerEvent } from '../../ledger/events/event.ts';
import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { compareRows, type RowFinding, type RowRules } from '../rows/compare-rows.ts';
import { cached, type LogRow, type LogRows, RowFinder } from '../rows/row-finder.ts';
import { entryRow, formatRow } from './entry-row.ts';
import { type ExportRow, parseRow, type RowForm } from './export-row.ts';
import type { LogEntries } from './log-entries.ts';
import { differences, type ExportFile } from './read-export.ts';

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
  index: number;
  event: LedgerEvent;
  row: ExportRow;
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
  const every = entryRows(log, file.form);
  const all = new RowFinder(every);
  const finder = new RowFinder(await inPeriod(every, all, options));
  const { from, to } = options;
  const hasRows = (await file.rows.peek()) !== null;
  const start = to !== undefined ? { start: await finder.newest() } : hasRows ? {} : { start: null };
  const rules = new ExportRules(file.form, all, options);
  const compared = await compareRows(file.rows, finder, rules, {
    ...start,
    endsAnywhere: from === undefined,
  });
  const { findings: faults, rows, expected: entries, newest, oldest, isAbandoned } = compared;
  const timeAt = async (place: number) => (await finder.at(place)).time;
  const period =
    newest === null || oldest === null ? null : { from: await timeAt(oldest), to: await timeAt(newest) };
  return { rows, entries, period, faults, logEndsAt: await endBefore(to, all), isAbandoned };
}

/** A row for every entry, each verified against the checkpoint; a block is a bundle. */
function entryRows(log: LogEntries, form: RowForm): LogRows<EntryRow> {
  const toRow = (line: Uint8Array, index: number, hash: string): EntryRow => {
    const entry = entryRow(line, index, hash);
    return { ...entry, text: formatRow(form, entry.row), time: entry.row.timestamp };
  };
  return {
    blocks: log.bundles,
    block: cached(async (number) => {
      const { first, lines, hashes } = await log.bundle(number);
      return lines.map((line, at) => toRow(line, first + at, hashes[at]!)).reverse();
    }),
  };
}

/** The rows of the period that pass the filter, in the blocks that may have some. */
async function inPeriod(
  { blocks, block }: LogRows<EntryRow>,
  all: RowFinder<EntryRow>,
  { from, to, wanted }: ExportOptions,
): Promise<LogRows<EntryRow>> {
  const blockBefore = async (isBefore: (row: EntryRow) => boolean) => {
    const place = await all.newestWhere(isBefore);
    return place === null ? null : all.partsOf(place).block;
  };
  const first = from == null ? 0 : ((await blockBefore(({ time }) => isBefore(time, from))) ?? 0);
  const last = to === undefined ? blocks - 1 : ((await blockBefore(({ time }) => !isBefore(to, time))) ?? -1);
  const isIn = ({ time, event, row }: EntryRow) =>
    (from == null || !isBefore(time, from)) &&
    (to === undefined || !isBefore(to, time)) &&
    (!wanted || wanted(event, row.attestation_hash));
  return {
    blocks: Math.max(0, last - first + 1),
    block: async (number) => (await block(first + number)).filter(isIn),
  };
}

function isBefore(one: string, other: string): boolean {
  return compareTimestamps(one, other) < 0;
}

/** The time of the log’s last entry if it is earlier than this time, else null. */
async function endBefore(to: string | undefined, all: RowFinder<EntryRow>): Promise<string | null> {
  const newest = to === undefined ? null : await all.newest();
  if (newest === null) return null;
  const { time } = await all.at(newest);
  return isBefore(time, to!) ? time : null;
}

/** The form of a ledger's timestamp; the date need not exist. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** An entry is known by its hash, and its row says what its line says. */
class ExportRules implements RowRules<EntryRow> {
  readonly table = 'the export';
  readonly #form: RowForm;
  readonly #all: RowFinder<EntryRow>;
  readonly #options: ExportOptions;

  constructor(form: RowForm, all: RowFinder<EntryRow>, options: ExportOptions) {
    [this.#form, this.#all, this.#options] = [form, all, options];
  }

  cells(text: string): Record<keyof ExportRow, string> | null {
    const row = parseRow(this.#form, text);
    return row && { ...row };
  }

  timeOf({ timestamp }: Cells): string | null {
    return TIMESTAMP.test(timestamp) ? timestamp : null;
  }

  isSame(entry: EntryRow, text: string): boolean {
    if (entry.text === text) return true;
    const cells = this.cells(text);
    return cells !== null && differences(cells, entry.row).length === 0;
  }

  differences({ index, row }: EntryRow, cells: Cells): string[] {
    return differences(cells, row).map(
      (name) =>
        `${name} of event ${index}: the log has ${shorten(row[name])}, the row has ${shorten(cells[name])}`,
    );
  }

  /** Of the next entry, the hash may be what was edited. */
  isEdit({ row }: EntryRow, cells: Cells, isNext: boolean): boolean {
    const changed = differences(cells, row);
    if (!changed.includes('attestation_hash')) return true;
    return isNext && !changed.includes('timestamp') && !changed.includes('event_type');
  }

  nameOf({ index }: EntryRow): string {
    return `event ${index} of the log`;
  }

  nameOfMissing(oldest: EntryRow, newest: EntryRow, count: number): string {
    if (count === 1) return `${this.nameOf(newest)}, ${newest.time},`;
    return `${count} of the events ${oldest.index} to ${newest.index} of the log, ${oldest.time} to ${newest.time},`;
  }

  async explain(cells: Cells): Promise<Omit<RowFinding, 'line'>[]> {
    const hash = cells.attestation_hash;
    const added = (message: string) => [{ kind: 'added' as const, message }];
    const time = this.timeOf(cells);
    for (const place of time === null ? [] : await this.#all.ofTime(time)) {
      const entry = await this.#all.at(place);
      if (entry.row.attestation_hash !== hash) continue;
      const reason = this.#reasonAgainst(entry);
      if (reason !== null) return added(`event ${entry.index} ${reason}`);
      return this.differences(entry, cells).map((message) => ({ kind: 'edited', message }));
    }
    return added(`the log has no event with the hash ${hash} at that time`);
  }

  /** Why an entry does not belong in the export. */
  #reasonAgainst({ time, event, row }: EntryRow): string | null {
    const { from, to, wanted } = this.#options;
    const isOutside = (from != null && isBefore(time, from)) || (to !== undefined && isBefore(to, time));
    if (isOutside) return 'of the log is outside the period';
    return !wanted || wanted(event, row.attestation_hash) ? null : 'does not match the filter';
  }
}

type Cells = Record<keyof ExportRow, string>;

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 80)} … ${text.slice(-30)}` : text;
}
