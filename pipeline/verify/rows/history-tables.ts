import { eventsByDay } from '../../artifacts/academics/events-by-day.ts';
import { miiTimeline } from '../../artifacts/academics/mii-timeline.ts';
import { sentinelsByDay } from '../../artifacts/academics/sentinels-by-day.ts';
import type { HistoryArtifact } from '../../artifacts/artifact.ts';
import { cathedralMultipliers } from '../../artifacts/economy/cathedral-multipliers.ts';
import { micHistory } from '../../artifacts/economy/mic-history.ts';
import { miiByDay } from '../../artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../artifacts/economy/minting-by-day.ts';
import { supplyByDay } from '../../artifacts/economy/supply-by-day.ts';
import { formatRow } from '../../artifacts/format/csv.ts';
import { decisions } from '../../artifacts/philosophy/decisions.ts';
import { deliberationArchive } from '../../artifacts/philosophy/deliberation-archive.ts';
import { metricsByDay } from '../../artifacts/philosophy/metrics-by-day.ts';
import type { EventOf } from '../../ledger/events/event.ts';
import type { Leaf } from '../../ledger/log/leaf.ts';
import { type HistoryTable, toTable } from './history-table.ts';

/** Every public history. A test compares them with the table of artifacts, which pages would load whole. */
export const HISTORY_TABLES: readonly HistoryTable[] = [
  toTable(micHistory, { from: 'event' }),
  toTable(cathedralMultipliers, { from: 'event' }),
  toTable(supplyByDay, { from: 'everything' }),
  toTable(mintingByDay, { from: 'day' }),
  toTable(miiByDay, { from: 'day', types: ['mii_reading'], beyond: ['threshold', 'minting_active'] }),
  toTable(sentinelsByDay, { from: 'everything' }),
  toTable(eventsByDay, { from: 'day', types: 'every' }),
  toTable(deliberationArchive, { from: 'deliberation' }),
  toTable(decisions, { from: 'event' }),
  toTable(metricsByDay, { from: 'everything' }),
];

/** Not a history, since it forgets what is older than thirty days; but each of its rows is a reading. */
const readings: HistoryArtifact = {
  ...miiTimeline,
  kind: 'history',
  line: null,
  separator: '',
  assembled: true,
  head: () => '',
  tail: '',
  rows({ event }: Leaf) {
    if (event.type !== 'mii_reading') return [];
    const { timestamp, cycle, data } = event as EventOf<'mii_reading'>;
    return [formatRow(miiTimeline.schema, { timestamp, mii_score: data.mii, cycle, sentinel_count: '' })];
  },
};

/** The tables of which a row can be followed to its events. */
export const ROW_TABLES: readonly HistoryTable[] = [
  ...HISTORY_TABLES,
  toTable(readings, { from: 'event', types: ['mii_reading'], beyond: ['sentinel_count'] }),
];

/** The history at a path, in either form. */
export function tableAt(path: string): HistoryTable | null {
  return HISTORY_TABLES.find((table) => table.path === path || table.ndjsonPath === path) ?? null;
}
