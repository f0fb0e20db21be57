import type { z } from 'zod';
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
import type { EventOf, KnownType } from '../../ledger/events/event.ts';
import type { Leaf } from '../../ledger/log/leaf.ts';

/**
 * What one row follows from: a single event; the events of its day; those of one deliberation, from its opening to its close; or all
 * events before it, for which a single row cannot be proved.
 */
type RowOrigin = 'event' | 'day' | 'deliberation' | 'everything';

/** A public table whose rows can be traced to events. */
export interface ProvableHistory {
  path: string;
  title: string;
  form: 'csv' | 'json';
  /** Column → the schema of a cell. */
  columns: Readonly<Record<string, z.ZodType>>;
  origin: RowOrigin;
  /** Types of the events that a row follows from; `every` for counts of all types. */
  types: readonly KnownType[] | 'every';
  /** Columns of JSON lines that name the row’s events, by their index in the log. */
  links: readonly string[];
  /** Columns that JSON lines leave out: they are a table of their own. */
  nested: readonly string[];
  /** Columns that follow from other events as well, so a row alone does not prove them. */
  beyond: readonly string[];
  /** The column that has the time of the event, or its day. */
  time: string;
  artifact: HistoryArtifact;
}

interface Source extends Pick<ProvableHistory, 'origin' | 'types' | 'time'> {
  beyond?: readonly string[];
}

function csv(
  artifact: HistoryArtifact & { schema: z.ZodObject<Record<string, z.ZodType>> },
  source: Source,
): ProvableHistory {
  const { path, title, schema } = artifact;
  const columns = schema.shape;
  return {
    path,
    title,
    form: 'csv',
    columns,
    ...lineColumns(artifact, columns),
    beyond: [],
    artifact,
    ...source,
  };
}

function json(
  artifact: HistoryArtifact,
  { shape: columns }: { shape: Record<string, z.ZodType> },
  source: Source,
): ProvableHistory {
  const { path, title } = artifact;
  return {
    path,
    title,
    form: 'json',
    columns,
    ...lineColumns(artifact, columns),
    beyond: [],
    artifact,
    ...source,
  };
}

function lineColumns({ line }: HistoryArtifact, columns: object): Pick<ProvableHistory, 'links' | 'nested'> {
  const names = Object.keys(line?.shape ?? columns);
  return {
    links: names.filter((name) => !Object.hasOwn(columns, name)),
    nested: Object.keys(columns).filter((name) => !names.includes(name)),
  };
}

/** Not a history, since it forgets what is older than thirty days; but each of its rows is a reading. */
const readings = {
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
} as const;

/** A test compares it with the public histories. */
export const PROVABLE: readonly ProvableHistory[] = [
  csv(micHistory, { origin: 'event', types: ['mic_mint'], time: 'timestamp' }),
  csv(cathedralMultipliers, { origin: 'event', types: ['genesis', 'multiplier_set'], time: 'timestamp' }),
  csv(readings, {
    origin: 'event',
    types: ['mii_reading'],
    beyond: ['sentinel_count'],
    time: 'timestamp',
  }),
  json(decisions, decisions.schema.shape.decisions.element, {
    origin: 'event',
    types: ['decision_recorded'],
    time: 'date',
  }),
  json(deliberationArchive, deliberationArchive.schema.shape.deliberations.element, {
    origin: 'deliberation',
    types: ['deliberation_opened', 'position_taken', 'deliberation_closed'],
    time: 'closed',
  }),
  csv(mintingByDay, { origin: 'day', types: ['mic_mint'], time: 'date' }),
  csv(miiByDay, {
    origin: 'day',
    types: ['mii_reading'],
    beyond: ['threshold', 'minting_active'],
    time: 'date',
  }),
  csv(eventsByDay, { origin: 'day', types: 'every', time: 'date' }),
  csv(supplyByDay, { origin: 'everything', types: 'every', time: 'date' }),
  csv(sentinelsByDay, { origin: 'everything', types: 'every', time: 'date' }),
  csv(metricsByDay, { origin: 'everything', types: 'every', time: 'date' }),
];
