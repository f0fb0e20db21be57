import * as z from 'zod/mini';
import { compile } from '#compile-schema';
import type { LedgerEvent } from '../ledger/events/event.ts';
import { amountToNumber } from '../model/amount.ts';
import type { State } from '../model/state.ts';
import { areaOf, type HistoryArtifact } from './artifact.ts';
import { EVENTS_OF_DAY, ONE_EVENT } from './fields.ts';
import { type CellValue, csvHeader, formatRow, invalidRow, type RowSchema } from './format/csv.ts';

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

type Words = Pick<HistoryArtifact, 'path' | 'title' | 'description' | 'limits' | 'tables'> &
  Partial<Pick<HistoryArtifact, 'followsFrom' | 'schemaChanges'>>;
type CsvRow = Readonly<Record<string, CellValue>>;
type CsvHistory<S> = HistoryArtifact & { schema: S; mediaType: typeof CSV_TYPE; head(): string };

interface DayHistory<S extends RowSchema> extends Words {
  /** The schema of one row; its members are the columns. */
  schema: S;
  /** The rows of the state's day, which is over, in file order. */
  rows(state: State): CsvRow[];
}

/**
 * A CSV with the rows of each finished UTC day, newest day first. The current day has no rows: its counts would grow from
 * release to release and look like a fall. Nor has a day without events.
 */
export function dayHistory<S extends RowSchema>({ rows, schema, ...words }: DayHistory<S>): CsvHistory<S> {
  const format = rowWriter(words.path, schema);
  return {
    ...csvHistory(words, schema),
    line: z.extend(schema, EVENTS_OF_DAY),
    rows: () => [],
    // Rows are added at the front of the file, so the last one goes first.
    dayRows: (state) =>
      rows(state)
        .map((row) => format(row, `day ${state.day.date}`))
        .reverse(),
  };
}

interface EventHistory<S extends RowSchema> extends Words {
  /** The schema of one row; its members are the columns. */
  schema: S;
  /** The rows of an event, besides its time and its cycle, which are the first columns. */
  rows(event: LedgerEvent): CsvRow[];
}

/** A CSV with the rows of each event, newest first, at once. */
export function eventHistory<S extends RowSchema>({
  rows,
  schema,
  ...words
}: EventHistory<S>): CsvHistory<S> {
  const format = rowWriter(words.path, schema);
  return {
    ...csvHistory(words, schema),
    line: z.extend(schema, ONE_EVENT),
    rows({ event }) {
      const { timestamp, cycle, seq } = event;
      return rows(event).map((row) => format({ timestamp, cycle, ...row }, `event ${seq}`));
    },
  };
}

function csvHistory<S extends RowSchema>(words: Words, schema: S) {
  return {
    ...PUBLIC,
    ...words,
    area: areaOf(words.path),
    mediaType: CSV_TYPE,
    schema,
    separator: '',
    head: () => csvHeader(schema),
    tail: '',
  } as const;
}

const PUBLIC = { kind: 'history', restricted: false, refresh: 'release', assembled: true } as const;

/** What writes and checks a row. */
function rowWriter(path: string, schema: RowSchema): (row: CsvRow, place: string) => string {
  // Compiled with the first row: most programs that import an artifact write none.
  let compiled: z.ZodMiniType | null = null;
  return (row, place) => {
    // An amount is written exactly, and checked as the nearest number.
    const checked: Record<string, CellValue> = { ...row };
    for (const name in row) {
      const value = row[name]!;
      if (typeof value === 'bigint') checked[name] = amountToNumber(value);
    }
    compiled ??= compile(schema);
    if (!z.validate(compiled, checked))
      throw invalidRow(`${path}, ${place}`, schema.safeParse(checked).error!, checked);
    return formatRow(schema, row);
  };
}

/** What the JSON files have in common whose list `list` has a row on each line, newest first. */
export function jsonHistory(path: string, list: string) {
  return {
    ...PUBLIC,
    path,
    area: areaOf(path),
    mediaType: 'application/json',
    separator: ',\n',
    head: ({ state }) => `{"timestamp":${JSON.stringify(state.asOf)},"${list}":[\n`,
    tail: '\n]}\n',
  } as const satisfies Partial<HistoryArtifact>;
}
