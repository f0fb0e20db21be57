import type { Chart } from '../../../pipeline/charts/chart.ts';
import { DEFAULT_STATE } from '../../../pipeline/charts/chart-state.ts';
import type { ChartTable } from '../../../pipeline/charts/chart-table.ts';
import type { DayRange } from '../../../pipeline/charts/day-range.ts';
import { daysFrom } from '../../../pipeline/words/day.ts';

/** Units of the brush's picture, which is stretched to the width of the page. */
export const OVERVIEW = { width: 1000, height: 40 } as const;
const MOST_POINTS = 160;

/** A line over all days of a chart, without a scale: the means of its rows' first numbers. Empty if it has none. */
export function overviewPath(chart: Chart, data: unknown, range: DayRange): string {
  const state = range.opensWith === 0 ? DEFAULT_STATE : { ...DEFAULT_STATE, from: range.first };
  const points = thinned(pointsOf(chart.table(data, state), range));
  if (points.length < 2) return '';
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const y = (value: number) =>
    most === least ? OVERVIEW.height / 2 : 2 + (1 - (value - least) / (most - least)) * (OVERVIEW.height - 4);
  return `M${points.map(({ x, value }) => `${x.toFixed(0)},${y(value).toFixed(1)}`).join('L')}`;
}

interface Point {
  x: number;
  value: number;
}

/** One for each first day of the rows; several rows of a day, such as those of ten sentinels, become one. */
function pointsOf({ rows }: ChartTable, { first, last }: DayRange): Point[] {
  const days = daysFrom(first, last);
  const byDay = Map.groupBy(rows, ([day]) => String(day).slice(0, 10));
  return [...byDay].flatMap(([day, own]) => {
    const values = own.flatMap((row) => row.find((cell) => typeof cell === 'number') ?? []);
    if (values.length === 0) return [];
    const value = values.reduce((sum, one) => sum + one, 0) / values.length;
    return [{ x: ((daysFrom(first, day) - 0.5) / days) * OVERVIEW.width, value }];
  });
}

/** Means of neighbours, where there are more points than pixels tell apart. */
function thinned(points: readonly Point[]): Point[] {
  const size = Math.ceil(points.length / MOST_POINTS);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) => {
    const own = points.slice(index * size, (index + 1) * size);
    const mean = (of: (point: Point) => number) => own.reduce((sum, one) => sum + of(one), 0) / own.length;
    return { x: mean(({ x }) => x), value: mean(({ value }) => value) };
  });
}
