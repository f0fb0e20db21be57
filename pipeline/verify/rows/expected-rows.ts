import type { Leaf } from '../../ledger/log/leaf.ts';
import { TILE_WIDTH } from '../../ledger/log/tile.ts';
import { emptyDay, emptyState } from '../../model/empty-state.ts';
import { apply } from '../../model/fold.ts';
import { isNewDay } from '../../model/period.ts';
import type { State } from '../../model/state.ts';
import { dayOf } from '../../model/window.ts';
import type { HistoryTable } from './history-table.ts';
import { type LogRow, LogRows, withoutEnd } from './log-rows.ts';
import type { PublicLog } from './public-log.ts';

/** Called as work proceeds; `total` and `done` are events. */
export type OnProgress = (progress: { stage: 'folding' | 'comparing'; done: number; total: number }) => void;

const PROGRESS_BUNDLES = 64;

/** The rows of a history whose rows each state one event. */
export async function eventRows(log: PublicLog, table: HistoryTable): Promise<LogRows> {
  const mayHave = await log.bundlesWith(table.types);
  return new LogRows(log.bundles, async (number) => {
    const leaves = mayHave(number) ? await log.events(number) : [];
    return leaves.flatMap((leaf) => (leaf ? rowsOfEvent(table, leaf) : [])).reverse();
  });
}

/** The rows that an event adds, oldest first. */
function rowsOfEvent(table: HistoryTable, leaf: Leaf): LogRow[] {
  if (!(table.types as readonly string[]).includes(leaf.event.type)) return [];
  const { seq: event, timestamp } = leaf.event;
  const time = table.time === 'date' ? dayOf(timestamp) : timestamp;
  const rows = table.artifact.rows(leaf);
  return rows.map((text) => ({ text: withoutEnd(text), time, event, links: [event], timestamp }));
}

/** Days without a public event: after one day, before another (null: the log ends), and what their rows have after the date. */
interface Gap {
  after: string;
  before: string | null;
  rest: string;
}

/** The rows of a history by day. */
export interface DayRows {
  rows: LogRows;
  /** Whether the newest block is of a day that may not be over. */
  endsOpen: boolean;
  /** The row of a day without a public event; null: there can be none. */
  carried(date: string): string | null;
}

/** A day of which any row serves as a pattern. */
const SOME_DAY = '2000-01-01';

/**
 * A history by day, recomputed with the fold of the pipeline over the public events, which must include all that its numbers follow from.
 * Its rows stay in memory: one or a few for each day. `supply`: of the beginning, in 1e-6 MIC, where the genesis event stays a hash.
 */
export async function dayRows(
  log: PublicLog,
  table: HistoryTable,
  { supply = 0n, onProgress }: { supply?: bigint | undefined; onProgress?: OnProgress | undefined } = {},
): Promise<DayRows> {
  const blocks: LogRow[][] = [];
  const gaps: Gap[] = [];
  let state = emptyState();
  state.supply.total = supply;
  let end = 0;
  for (let number = 0; number < log.bundles; number += 1) {
    if (number % PROGRESS_BUNDLES === 0)
      onProgress?.({ stage: 'folding', done: number * TILE_WIDTH, total: log.size });
    const block: LogRow[] = [];
    for (const leaf of await log.events(number)) {
      if (!leaf) continue;
      const { timestamp, seq } = leaf.event;
      const { date } = state.day;
      if (isNewDay(state, timestamp)) block.push(...rowsOfDay(state, table));
      if (seq > end && dayOf(timestamp) !== date) gaps.push(...gapsAfter(state, table, dayOf(timestamp)));
      state = apply(state, leaf);
      end = seq + 1;
    }
    if (block.length > 0) blocks.push(block.reverse());
  }
  const open = end > 0 ? rowsOfDay(state, table).reverse() : [];
  if (open.length > 0) blocks.push(open);
  if (end > 0 && log.size > end) gaps.push(...gapsAfter(state, table, null));
  return {
    rows: new LogRows(blocks.length, async (number) => blocks[number]!),
    endsOpen: open.length > 0,
    carried(date) {
      const gap = gaps.find(({ after, before }) => after < date && (before === null || date < before));
      return gap ? date + gap.rest : null;
    },
  };
}

/** The rows of a day that ends, in their order. */
function rowsOfDay(state: State, { artifact, time }: HistoryTable): LogRow[] {
  const { asOf: timestamp, day } = state;
  const events = artifact.dayEvents?.(state);
  return artifact.dayRows!(state).map((row, index) => {
    const text = withoutEnd(row);
    const at = time === 'closed' ? (JSON.parse(text) as { closed: string }).closed : day.date;
    return { text, time: at, event: null, links: events?.[index] ?? null, timestamp };
  });
}

/** Between two public events, all others stay hashes: a day in between has rows if one of them was on it. */
function gapsAfter(state: State, { artifact, isCsv }: HistoryTable, before: string | null): Gap[] {
  const [row] = isCsv ? artifact.dayRows!({ ...state, day: emptyDay(SOME_DAY) }) : [];
  return row ? [{ after: state.day.date, before, rest: withoutEnd(row).slice(SOME_DAY.length) }] : [];
}
