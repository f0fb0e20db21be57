import { DAY_MS, daysFrom, timeOfDay } from '../words/day.ts';
import { formatDay, formatDays, formatMonth, formatSpan } from '../words/moment.ts';
import type { ChartColumn, ChartTable } from './chart-table.ts';

// The time of a row is in its first cells: two days, a day, a month, or a moment.

type Cells = ChartTable['rows'][number];

const MONTH = /^\d{4}-\d{2}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}/;

/** The first day of a row, or its moment, and its last day. */
function endsOf([first, second]: Cells): [first: string, last: string] {
  const [start, end] = [String(first), String(second)];
  return [start, DAY.test(start) && DAY.test(end) ? end : start];
}

/** The first and the last moment of a row, ms; NaN for a row that has no time. */
export function spanOf(row: Cells): { from: number; to: number; middle: number } {
  const [start, end] = endsOf(row);
  const [from, to] = MONTH.test(start)
    ? [Date.parse(start), new Date(start).setUTCMonth(new Date(start).getUTCMonth() + 1)]
    : DAY.test(start)
      ? [timeOfDay(start), timeOfDay(end) + DAY_MS]
      : [Date.parse(start), Date.parse(start)];
  return { from, to, middle: (from + to) / 2 };
}

/** `9 March 2026`, `9–15 March 2026`, `March 2026`; the first cell of a row that has no time. */
export function formatRowTime(row: Cells): string {
  const [start, end] = endsOf(row);
  if (MONTH.test(start)) return formatMonth(start);
  if (!MOMENT.test(start)) return start;
  return end === start ? formatDay(start) : formatDays(start, end);
}

/** From the first day of the first row to the last day of the last one. */
export function formatRowsSpan(rows: ChartTable['rows']): string {
  const [[start], [, end]] = [endsOf(rows[0]!), endsOf(rows.at(-1)!)];
  if (DAY.test(start)) return formatSpan(start, end);
  return start === end ? `In ${formatMonth(start)}` : `From ${formatMonth(start)} to ${formatMonth(end)}`;
}

/** The days of a row; 1 for any other time. */
export function daysOfRow(row: Cells): number {
  const [start, end] = endsOf(row);
  return end === start ? 1 : daysFrom(start, end);
}

export interface Row {
  cells: Cells;
  /** The first and the last moment that it is about, ms. */
  from: number;
  to: number;
  middle: number;
  partial: boolean;
}

/** A column of numbers; in a table with a row for each day and series, of those whose second cell is `of`. */
export interface ColumnPart {
  column: string;
  of?: string;
}

export interface Point {
  row: Row;
  value: number;
}

/** A table whose rows have times. */
export class TimedTable {
  readonly rows: readonly Row[];
  readonly #columns: ReadonlyMap<string, { at: number; column: ChartColumn }>;

  /** `partial`: for each row, whether it is a week or month that is not whole. */
  constructor({ columns, rows }: ChartTable, partial: readonly boolean[] = []) {
    this.#columns = new Map(columns.map((column, at) => [column.name, { at, column }]));
    this.rows = rows.map((cells, at) => ({ cells, ...spanOf(cells), partial: partial[at] ?? false }));
  }

  column(name: string): ChartColumn {
    return this.#columns.get(name)!.column;
  }

  /** Null is a gap. */
  value({ cells }: Row, column: string): number | null {
    return cells[this.#columns.get(column)!.at] as number | null;
  }

  of({ of }: Pick<ColumnPart, 'of'>): readonly Row[] {
    return of === undefined ? this.rows : this.rows.filter(({ cells }) => cells[1] === of);
  }

  points(part: ColumnPart): Point[] {
    return this.of(part).flatMap((row) => {
      const value = this.value(row, part.column);
      return value === null ? [] : [{ row, value }];
    });
  }

  values(part: ColumnPart): number[] {
    return this.points(part).map(({ value }) => value);
  }
}
