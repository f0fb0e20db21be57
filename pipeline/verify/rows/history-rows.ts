import type { Leaf } from '../../ledger/log/leaf.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import { apply } from '../../model/fold.ts';
import { isNewDay } from '../../model/period.ts';
import { emptyDay, emptyState, type State } from '../../model/state.ts';
import { dayOf } from '../../model/window.ts';
import type { HistoryTable } from './history-tables.ts';
import type { PublicLog } from './public-log.ts';
import { cached, type LogRow, type LogRows } from './row-finder.ts';

/** A row of a history that follows from the log. */
export interface HistoryRow extends LogRow {
  /** Where the log has its event; null for a row of a whole day. */
  event: number | null;
  /** The events that its links name; null where hashes decide which these are. */
  links: readonly number[] | null;
  /** The time of the event, or of the last public one of the day. */
  timestamp: string;
}

export interface HistoryRows extends LogRows<HistoryRow> {
  /** Whether the newest block is of a day that may not be over. */
  endsOpen: boolean;
  /** The row of a day without a public event; null: there can be none. */
  carried(date: string): string | null;
}

/** Called as work proceeds; `total` and `done` are events. */
export type OnProgress = (progress: { stage: 'folding' | 'comparing'; done: number; total: number }) => void;

const PROGRESS_BUNDLES = 64;

/** A history whose rows each state one event. */
export async function eventRows(log: PublicLog, table: HistoryTable): Promise<HistoryRows> {
  const mayHave = await log.bundlesWith(table.types);
  const read = async (number: number) =>
    !mayHave(number)
      ? []
      : (await log.events(number)).flatMap((leaf) => (leaf ? rowsOfEvent(table, leaf) : [])).reverse();
  return { blocks: log.bundles, block: cached(read), endsOpen: false, carried: () => null };
}

/** The rows that an event adds, oldest first. */
function rowsOfEvent(table: HistoryTable, leaf: Leaf): HistoryRow[] {
  if (!(table.types as readonly string[]).includes(leaf.event.type)) return [];
  const { seq: event, timestamp } = leaf.event;
  const time = table.time === 'date' ? dayOf(timestamp) : timestamp;
  return table.artifact.rows(leaf).map((text) => ({
    text: withoutEnd(text),
    time,
    event,
    links: [event],
    timestamp,
  }));
}

/** A row as the artifact makes it, without its line end. */
export function withoutEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Days without a public event: after one day, before another (null: the log ends), and what their rows have after the date. */
interface Gap {
  after: string;
  before: string | null;
  rest: string;
}

/** A day of which any row serves as a pattern. */
const SOME_DAY = '2000-01-01';

/**
 * A history by day, recomputed with the fold of the pipeline over the public events, which must include all that its numbers follow from.
 * Its rows stay in memory: one or a few for each day.
 */
export class DayRows implements HistoryRows {
  readonly #table: HistoryTable;
  readonly #blocks: HistoryRow[][] = [];
  readonly #gaps: Gap[] = [];
  #state: State;
  /** Index of the last public event. */
  #last = -1;
  endsOpen = false;

  private constructor(table: HistoryTable, supply: bigint) {
    this.#table = table;
    this.#state = emptyState();
    this.#state.supply.total = supply;
  }

  /** `supply`: of the beginning, in 1e-6 MIC, where the genesis event stays a hash. */
  static async fold(
    log: PublicLog,
    table: HistoryTable,
    { supply = 0n, onProgress }: { supply?: bigint | undefined; onProgress?: OnProgress | undefined } = {},
  ): Promise<DayRows> {
    const rows = new DayRows(table, supply);
    for (let number = 0; number < log.bundles; number += 1) {
      if (number % PROGRESS_BUNDLES === 0)
        onProgress?.({ stage: 'folding', done: number * TILE_WIDTH, total: log.size });
      const block: HistoryRow[] = [];
      for (const leaf of await log.events(number)) if (leaf) block.push(...rows.#add(leaf));
      if (block.length > 0) rows.#blocks.push(block.reverse());
    }
    rows.#end(log.size);
    return rows;
  }

  get blocks(): number {
    return this.#blocks.length;
  }

  async block(number: number): Promise<readonly HistoryRow[]> {
    return this.#blocks[number]!;
  }

  carried(date: string): string | null {
    const gap = this.#gaps.find(({ after, before }) => after < date && (before === null || date < before));
    return gap ? date + gap.rest : null;
  }

  /** Adds an event; the rows of the day that it ends, in their order. */
  #add(leaf: Leaf): HistoryRow[] {
    const { timestamp, seq } = leaf.event;
    const closed = isNewDay(this.#state, timestamp) ? this.#closeDay() : [];
    const { date } = this.#state.day;
    if (dayOf(timestamp) !== date) this.#addGap(date, dayOf(timestamp), seq);
    this.#state = apply(this.#state, leaf);
    this.#last = seq;
    return closed;
  }

  #closeDay(): HistoryRow[] {
    const { artifact, time } = this.#table;
    const { asOf: timestamp, day } = this.#state;
    const events = artifact.dayEvents?.(this.#state);
    return artifact.dayRows!(this.#state).map((row, index) => {
      const text = withoutEnd(row);
      const at = time === 'closed' ? (JSON.parse(text) as { closed: string }).closed : day.date;
      return { text, time: at, event: null, links: events?.[index] ?? null, timestamp };
    });
  }

  /** Between two public events, all others stay hashes: a day in between has rows if one of them was on it. */
  #addGap(after: string, before: string | null, next: number): void {
    const { artifact, isCsv } = this.#table;
    if (next === this.#last + 1 || !isCsv) return;
    const [row] = artifact.dayRows!({ ...this.#state, day: emptyDay(SOME_DAY) });
    if (row) this.#gaps.push({ after, before, rest: withoutEnd(row).slice(SOME_DAY.length) });
  }

  #end(size: number): void {
    if (this.#last < 0) return;
    const rows = this.#closeDay().reverse();
    this.endsOpen = rows.length > 0;
    if (this.endsOpen) this.#blocks.push(rows);
    this.#addGap(this.#state.day.date, null, size);
  }
}
