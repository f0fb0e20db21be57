import type { KnownType } from '../../ledger/events/event.ts';
import { DECISIONS } from '../../ledger/log/public-events.ts';
import { formatAmount, parseAmount } from '../../model/amount.ts';
import { dayOf } from '../../model/window.ts';
import { formatCount } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import {
  type Compared,
  compareRows,
  describeRow,
  type Excuses,
  leftAsSentences,
  type RowFinding,
} from './compare-rows.ts';
import { type DayRows, dayRows, eventRows, type OnProgress } from './expected-rows.ts';
import { type HistoryFile, type OtherFile, readHistoryFile } from './history-file.ts';
import {
  type Cells,
  type HistoryForm,
  type HistoryTable,
  parseCells,
  shownCell,
  unmarked,
} from './history-table.ts';
import { compareTimes, DATE, type LogRow, type LogRows, type Place } from './log-rows.ts';
import type { PublicLog } from './public-log.ts';

/** `cannot_be_checked`: nothing was found wrong, and something could not be compared. */
export type Verdict = 'proved' | 'does_not_hold' | 'cannot_be_checked';

export interface HistoryVerdict {
  verdict: Verdict;
  /** The history that the file is; null: none. */
  path: string | null;
  form: HistoryForm | null;
  /** Rows read, and how many of them follow from the log as they are. */
  rows: number;
  proved: number;
  findings: RowFinding[];
  /** Why something could not be checked, as sentences. */
  unchecked: string[];
  /** What the check covers, as sentences. */
  notes: string[];
  /** There were too many findings to read the file to its end. */
  isAbandoned: boolean;
}

export interface HistoryOptions {
  /** The history that the file has to be; by default the one that its first line shows. */
  path?: string | null;
  onProgress?: OnProgress;
}

/** Why a row without a public event may still be one of the history. */
const HIDDEN = 'of days with events that stay hashes, because they have members that no public file shows';
/** Rows whose supply at the beginning is compared. */
const SUPPLY_ROWS = 3;

/**
 * Columns that follow from the supply at the beginning, which a genesis event that stays a hash does not show. A supply history shows it
 * itself, unless a mint stays a hash, too.
 */
const OF_SUPPLY: Readonly<Record<string, readonly string[]>> = {
  'economy/supply-by-day.csv': ['total_supply', 'circulating'],
  'economy/mii-by-day.csv': ['threshold', 'minting_active'],
};

/** The types of events that a history follows from and that stay hashes. */
function hashedTypes({ types }: HistoryTable): KnownType[] {
  return types.filter((type) => !DECISIONS[type].public);
}

/**
 * Verifies a whole public history against a log, without a key: that each row follows from the log’s public events, and that no row
 * is missing. Reads the file once and keeps a chunk of it; of a history by day, it keeps the rows that follow from the log. Throws
 * log_invalid and the errors of `log`.
 */
export async function verifyHistory(
  chunks: AsyncIterable<Uint8Array>,
  log: PublicLog,
  options: HistoryOptions = {},
): Promise<HistoryVerdict> {
  const file = await readHistoryFile(chunks, options.path);
  if (!('table' in file)) return unlike(file);
  const hashed = hashedTypes(file.table);
  const isCounted = file.table.path === COUNTS;
  if (hashed.length > 0 && !isCounted) return fromHashed(file, hashed);
  const hidesGenesis = file.table.types.includes('genesis') && (await hasHiddenGenesis(log));
  const showsMints = hidesGenesis && (await log.withheldOn(['mic_mint'])).size === 0;
  const supply = showsMints ? await supplyBefore(file, log) : null;
  const days = file.table.artifact.dayRows
    ? await dayRows(log, file.table, { supply: supply ?? 0n, onProgress: options.onProgress })
    : null;
  const rows = days?.rows ?? (await eventRows(log, file.table));
  const source = { log, rows, days, hidesGenesis, supply, logEnd: await log.newest() };
  const masked = hidesGenesis && supply === null ? (OF_SUPPLY[file.table.path] ?? []) : [];
  const compared = await compareRows(file.rows, rows, new HistoryExcuses(file.table, source), {
    table: file.table,
    form: file.form,
    masked,
    ...(await startOf(file, source)),
    onProgress(next) {
      const left = next === null ? 0 : (log.size * rows.blockOf(next)) / rows.blocks;
      options.onProgress?.({ stage: 'comparing', done: Math.round(log.size - left), total: log.size });
    },
  });
  const verdict = await verdictOf(file, source, masked, compared);
  if (file.asOf === null || !(await isAfter(file.asOf, log))) return verdict;
  const unchecked = `The file says that it is of ${file.asOf}, after the log’s checkpoint: rows of the events since then may be missing.`;
  return {
    ...verdict,
    verdict: verdict.verdict === 'proved' ? 'cannot_be_checked' : verdict.verdict,
    unchecked: [...verdict.unchecked, unchecked],
  };
}

/** Whether the log has no event on the day of this time, nor later ones that are public. Those of its last day may all stay hashes. */
async function isAfter(time: string, log: PublicLog): Promise<boolean> {
  const newest = await log.newest();
  const isLater = newest === null || dayOf(time) > dayOf(newest);
  return isLater && (await log.day(dayOf(time))) === null;
}

/** Without the release’s index, the first event may be one. */
async function hasHiddenGenesis(log: PublicLog): Promise<boolean> {
  if (log.size === 0 || (await log.events(0))[0]) return false;
  const covered = await log.bundlesWith([]);
  return covered(0) || (await log.withheldOn(['genesis'])).size > 0;
}

/** The history of counts by type: of the types that stay hashes, only the publisher knows the number. */
const COUNTS = 'academics/events-by-day.csv';

function unlike({ path, reason }: OtherFile): HistoryVerdict {
  return { ...NOTHING, path, unchecked: [`The file cannot be compared: ${reason}.`] };
}

const NOTHING: HistoryVerdict = {
  verdict: 'cannot_be_checked',
  path: null,
  form: null,
  rows: 0,
  proved: 0,
  findings: [],
  unchecked: [],
  notes: [],
  isAbandoned: false,
};

function fromHashed({ table, form }: HistoryFile, hashed: readonly KnownType[]): HistoryVerdict {
  const others = table.types.filter((type) => !hashed.includes(type));
  const reason = `${table.path} follows from ${formatList(hashed)} events too, of which the log shows only hashes.`;
  const rest =
    others.length === 0
      ? []
      : [`Its events of the types ${formatList(others)} are public, but no column follows from them alone.`];
  return { ...NOTHING, path: table.path, form, unchecked: [reason, ...rest] };
}

/**
 * The supply at the beginning as a supply history states it: what two of its first rows have beyond the mints up to their day. Null
 * for another history.
 */
async function supplyBefore({ table, form, rows }: HistoryFile, log: PublicLog): Promise<bigint | null> {
  const stated = (await rows.first(SUPPLY_ROWS)).flatMap(({ text }) => {
    const { date, total_supply: total = '' } = parseCells(table, form, text) ?? {};
    const digits = unmarked(total);
    return date && /^\d+(\.\d{1,6})?$/.test(digits) ? [{ date, total: parseAmount(digits), minted: 0n }] : [];
  });
  if (stated.length === 0) return null;
  for (let number = 0; number < log.bundles; number += 1)
    for (const leaf of await log.events(number)) {
      if (leaf?.event.type !== 'mic_mint') continue;
      const { timestamp, data } = leaf.event;
      for (const row of stated)
        if (dayOf(timestamp) <= row.date) row.minted += parseAmount((data as { amount: string }).amount);
    }
  const [one, ...others] = stated.map(({ total, minted }) => total - minted);
  return others.find((other, index) => others.indexOf(other) !== index) ?? one!;
}

/** A JSON history says up to when it has rows. Of a file without any, all are missing but those of a day that was not over at the checkpoint. */
async function startOf(
  { table, asOf, rows: own }: HistoryFile,
  { log, rows, days }: Source,
): Promise<{ start?: Place | null }> {
  const upTo = (time: string) =>
    rows.newestWhere((row) =>
      table.artifact.dayRows ? dayOf(row.time) < dayOf(time) : compareTimes(row.timestamp, time) <= 0,
    );
  if (asOf !== null) return { start: await upTo(asOf) };
  if ((await own.peek()) !== null) return {};
  const newest = await rows.newest();
  const last = newest === null ? null : (await rows.at(newest)).time;
  const isOpen = last !== null && days?.endsOpen && !(await log.isOver(dayOf(last)));
  return { start: isOpen ? await upTo(last) : newest };
}

interface Source {
  log: PublicLog;
  rows: LogRows;
  /** Null for a history whose rows each state one event. */
  days: DayRows | null;
  hidesGenesis: boolean;
  /** At the beginning, as the file states it; null: not known, or not needed. */
  supply: bigint | null;
  /** The time of the log’s newest public event. */
  logEnd: string | null;
}

/** Which rows of a history may follow from events that stay hashes. */
class HistoryExcuses implements Excuses {
  readonly #table: HistoryTable;
  readonly #source: Source;
  /** Days with events that stay hashes, once a row differs. */
  #withheld: Promise<ReadonlySet<string>> | null = null;

  constructor(table: HistoryTable, source: Source) {
    [this.#table, this.#source] = [table, source];
  }

  /** The counts of types whose events stay hashes; the genesis event may be one though its type is public. */
  exempts(cells: Cells): string | null {
    if (this.#table.path !== COUNTS) return null;
    const type = cells.event_type!;
    const isCounted = Object.hasOwn(DECISIONS, type) && DECISIONS[type as KnownType].public;
    return isCounted && !this.#isOfGenesis(cells) ? null : 'of types whose events stay hashes';
  }

  /** The row of a day without a public event. */
  carried(cells: Cells): LogRow | null {
    const time = cells[this.#table.time]!;
    const text = DATE.test(time) ? (this.#source.days?.carried(time) ?? null) : null;
    return text === null ? null : { text, time, event: null, links: null, timestamp: time };
  }

  async excuse(...[kind, cells, time]: Parameters<Excuses['excuse']>): Promise<string | null> {
    const { log, days, logEnd } = this.#source;
    if (kind === 'differs') {
      if (!days) return null;
      // Events after the checkpoint may have changed the numbers of its last day, and give others to later ones.
      if (!(await log.isOver(dayOf(time)))) return 'of a day that was not over at the checkpoint';
      return (await this.#isHidden(time)) ? HIDDEN : null;
    }
    // An event that stays a hash may give the same row.
    if (kind === 'repeated') return !days && (await this.#isHidden(time)) ? HIDDEN : null;
    if (logEnd === null || compareTimes(time, DATE.test(time) ? dayOf(logEnd) : logEnd) > 0)
      return 'newer than the log’s newest public event';
    if (this.#isOfGenesis(cells)) return 'of the genesis event, which stays a hash';
    return (await this.#isHidden(time)) ? HIDDEN : null;
  }

  async added(cells: Cells): Promise<string> {
    return `no public event of the log gives a row of ${shownCell(cells[this.#table.time]!)} with these cells`;
  }

  #isOfGenesis(cells: Cells): boolean {
    return this.#source.hidesGenesis && [cells.reason, cells.event_type].includes('genesis');
  }

  /** Whether a row of this time may follow from an event that stays a hash though its type is public. */
  async #isHidden(time: string): Promise<boolean> {
    const { log, days } = this.#source;
    this.#withheld ??= log.withheldOn(this.#table.types.filter((type) => type !== 'genesis'));
    const withheld = await this.#withheld;
    return days ? [...withheld].some((day) => day <= dayOf(time)) : withheld.has(dayOf(time));
  }
}

async function verdictOf(
  { table, form, asOf }: HistoryFile,
  source: Source,
  masked: readonly string[],
  compared: Compared,
): Promise<HistoryVerdict> {
  const { findings, rows, proved, isAbandoned } = compared;
  const unchecked = leftAsSentences(compared);
  if (masked.length > 0)
    unchecked.push(
      `The columns ${formatList(masked)} cannot be checked: they follow from the first supply, and the genesis event that states it stays a hash.`,
    );
  if (source.supply !== null)
    unchecked.push(
      `The first supply cannot be checked, since the genesis event stays a hash: the rows follow from the log if it was ${formatAmount(source.supply)} MIC.`,
    );
  const verdict =
    findings.length > 0 ? 'does_not_hold' : unchecked.length > 0 ? 'cannot_be_checked' : 'proved';
  const notes = [...(await ageNotes(compared, source, asOf)), ...notesOf(compared, { table, form })];
  return { verdict, path: table.path, form, rows, proved, findings, unchecked, notes, isAbandoned };
}

/** Whether the file is of an earlier release. A CSV does not state its time, so it may also lack its newest rows. */
async function ageNotes(
  { newest, left }: Compared,
  { rows, days }: Source,
  asOf: string | null,
): Promise<string[]> {
  const newer = newest === null ? null : await rows.newer(newest);
  // Newer rows of days may have been left because an event stays a hash.
  if (newer === null || (days && left.has(HIDDEN))) return [];
  if (days?.endsOpen && rows.blockOf(newer) === rows.blocks - 1) return [];
  const [from, to] = [await rows.at(newest!), await rows.at((await rows.newest())!)];
  const what = asOf === null ? ', or its newest rows were removed' : '';
  return [
    `The file is of an earlier release${what}: it begins with ${describeRow(from)}, and the log goes on to ${describeRow(to)}. It was verified from its first row on.`,
  ];
}

function notesOf({ unchanged }: Compared, { table, form }: Pick<HistoryFile, 'table' | 'form'>): string[] {
  const { dayRows, dayEvents } = table.artifact;
  const notes: string[] = [];
  if (form === 'ndjson' && dayRows && !dayEvents)
    notes.push('first_event and last_event were not compared: they may be events that stay hashes.');
  if (unchanged > 0)
    notes.push(
      `${formatCount(unchanged, 'row')} ${unchanged === 1 ? 'is' : 'are'} of days without a public event: the numbers hold, and that such a day had an event at all cannot be seen.`,
    );
  return notes;
}
