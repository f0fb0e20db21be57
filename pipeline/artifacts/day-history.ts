import { amountToNumber } from '../model/amount.ts';
import type { State } from '../model/state.ts';
import type { HistoryArtifact } from './artifact.ts';
import { EVENTS_OF_DAY } from './fields.ts';
import { type Cell, type CellValue, csvHeader, formatRow, invalidRow, type RowSchema } from './format/csv.ts';

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

interface DayHistory<S extends RowSchema>
  extends Pick<
    HistoryArtifact,
    'path' | 'area' | 'title' | 'description' | 'limits' | 'tables' | 'schemaHistory'
  > {
  /** The schema of one row; its members are the columns. */
  schema: S;
  /** The rows of the state's day, which is over, in file order. */
  rows(state: State): Record<string, CellValue>[];
}

/**
 * A CSV with the rows of each finished UTC day, newest day first. The current day has no rows: its counts would grow from
 * release to release and look like a fall. Nor has a day without events.
 */
export function dayHistory<S extends RowSchema>({
  rows,
  schema,
  ...described
}: DayHistory<S>): HistoryArtifact & { schema: S; mediaType: typeof CSV_TYPE } {
  const format = (row: Record<string, CellValue>, date: string): string => {
    const values = Object.fromEntries(Object.entries(row).map(([name, value]) => [name, checked(value)]));
    const { error } = schema.safeParse(values);
    if (error) throw invalidRow(`${described.path}, day ${date}`, error, values);
    return formatRow(schema, row);
  };
  return {
    ...described,
    kind: 'history',
    mediaType: CSV_TYPE,
    restricted: false,
    refresh: 'release',
    schema,
    line: schema.extend(EVENTS_OF_DAY),
    separator: '',
    assembled: true,
    head: () => csvHeader(schema),
    tail: '',
    rows: () => [],
    // Rows are added at the front of the file, so the last one goes first.
    dayRows: (state) =>
      rows(state)
        .map((row) => format(row, state.day.date))
        .reverse(),
  };
}

/** An amount is written exactly, and checked as the nearest number. */
function checked(value: CellValue): Cell | boolean | null {
  return typeof value === 'bigint' ? amountToNumber(value) : value;
}
