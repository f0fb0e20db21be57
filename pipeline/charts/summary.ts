import { formatNumber, formatPercent } from '../words/number.ts';
import { formatList } from '../words/phrase.ts';
import type { ChartTable } from './chart-table.ts';
import type { Mark } from './drawing/mark.ts';
import type { OverTime } from './drawing/over-time.ts';
import type { Drawn, Pane } from './drawing/pane.ts';
import { daysOfRow, formatRowsSpan, formatRowTime, type Point, type Row, TimedTable } from './timed-table.ts';

/** Units that a number does not need beside it. */
const PLAIN = ['', 'share', 'count', 'ratio', 'factor'];
/** More would not be read to the end. */
const MOST_SERIES = 5;
const MOST_ROWS = 12;

/** A number without a unit is a share, or small. */
function decimalsOf(value: number, unit: string): number {
  const size = Math.abs(value);
  if (size >= 1000) return 0;
  return size >= 10 ? 1 : PLAIN.includes(unit) ? 4 : 2;
}

/** `1,234 MIC`, `0.9571`: as many decimals as a reader needs, and the unit where the number alone is not clear. */
export function valueWords(value: number, unit: string, most = decimalsOf(value, unit)): string {
  const words = formatNumber(value, { max: Math.min(most, decimalsOf(value, unit)) });
  return PLAIN.includes(unit) ? words : `${words} ${unit}`;
}

/**
 * What a table says, in sentences for readers who do not see its picture: of what changes over time the first, the last, the least and
 * the greatest value and the change; of flows the total; of rows each, or the greatest and the least.
 */
export function summaryOf(table: ChartTable, mark: Mark): string[] {
  switch (mark.kind) {
    case 'over-time':
      return overTimeWords(table, mark);
    case 'bars':
      return barWords(mark.rows);
    case 'curves':
      return mark.dots.length === 0 ? [] : [rowWords(mark.texts, mark.dots)];
    case 'dots':
    case 'cells':
      return [rowWords(mark.texts, mark.rows)];
    case 'matrix': {
      const { columns, rows } = table;
      const outcome = columns.findIndex(({ name }) => name === mark.outcome);
      const symbols = rows.flatMap((row) => row.slice(mark.from));
      const words = mark.symbols.map(({ word }) => word);
      const ends = rows.map((row) => row[outcome]!);
      return [
        countWords(mark.texts, symbols, words),
        countWords(columns[outcome]!.title, ends, Object.keys(mark.outcomes)),
      ];
    }
  }
}

/** How often each word is there. */
function countWords(what: string, cells: ChartTable['rows'][number], words: readonly string[]): string {
  const counts = words.map((word) => `${word} ${cells.filter((cell) => cell === word).length}`);
  return `${what}: ${formatList(counts)}.`;
}

function rowWords(texts: string, rows: readonly { label: string; text: string }[]): string {
  const items = rows.slice(0, MOST_ROWS).map(({ label, text }) => `${label} ${text}`);
  const rest = rows.length - items.length;
  return `${texts}: ${formatList(rest > 0 ? [...items, `${formatNumber(rest)} more`] : items)}.`;
}

function barWords(rows: readonly { label: string; value: number; text: string }[]): string[] {
  if (rows.length <= MOST_SERIES)
    return [`${formatList(rows.map(({ label, text }) => `${label} ${text}`))}.`];
  const sorted = rows.toSorted((a, b) => b.value - a.value);
  const [most, least] = [sorted[0]!, sorted.at(-1)!];
  return [
    `The highest of ${formatNumber(rows.length)} is ${most.label}, ${most.text}, the lowest ${least.label}, ${least.text}.`,
  ];
}

function overTimeWords(shown: ChartTable, mark: OverTime): string[] {
  const table = new TimedTable(shown, mark.partial);
  return mark.panes.flatMap((pane) => {
    if (pane.mark === 'columns') return flowWords(table, pane);
    const all = pane.drawn.flatMap((one) => {
      const { title, unit } = table.column(one.column);
      const points = table.points(one);
      return points.length === 0
        ? []
        : [{ name: one.of === undefined ? title : one.label, unit, points, change: changeOf(points) }];
    });
    if (all.length <= MOST_SERIES) return all.map(courseWords);
    // Of a single day there is no change.
    const hasChanged = all.some(({ change }) => change !== all[0]!.change);
    const measure = ({ change, points }: (typeof all)[0]) => (hasChanged ? change : points.at(-1)!.value);
    const sorted = all.toSorted((a, b) => measure(b) - measure(a));
    const [most, least] = [sorted[0]!, sorted.at(-1)!];
    const [above, below] = hasChanged ? ['gained most', 'least'] : ['was highest', 'lowest'];
    return [
      `Of ${formatNumber(all.length)}, ${most.name} ${above}, ${least.name} ${below}.`,
      ...[most, least].map(courseWords),
    ];
  });
}

const changeOf = (points: readonly Point[]) => points.at(-1)!.value - points[0]!.value;

interface Course {
  name: string;
  unit: string;
  points: readonly Point[];
}

/** `Burned went from 0 MIC (6 July 2025) to 425,447 MIC (21 November 2026), a change of +425,447; its lowest was …` */
function courseWords({ name, unit, points }: Course): string {
  const [first, last] = [points[0]!, points.at(-1)!];
  const words = (point: Point) => pointWords(point, unit);
  if (first === last) return `${name} was ${words(first)}.`;
  const least = points.reduce((low, one) => (one.value < low.value ? one : low));
  const most = points.reduce((high, one) => (one.value > high.value ? one : high));
  const change = last.value - first.value;
  const max = Math.max(...[first, last].map(({ value }) => decimalsOf(value, unit)));
  const signed = `${change > 0 ? '+' : ''}${formatNumber(change, { max })}`;
  return `${[
    change === 0
      ? `${name} was ${valueWords(first.value, unit)} at the start and at the end, ${formatRowTime(first.row.cells)} and ${formatRowTime(last.row.cells)}`
      : `${name} went from ${words(first)} to ${words(last)}, a change of ${signed}`,
    ...(least.value < Math.min(first.value, last.value) ? [`its lowest was ${words(least)}`] : []),
    ...(most.value > Math.max(first.value, last.value) ? [`its highest was ${words(most)}`] : []),
  ].join('; ')}.`;
}

function pointWords({ row, value }: Point, unit: string): string {
  return `${valueWords(value, unit)} (${formatRowTime(row.cells)})`;
}

const PER_DAY = / per day$/;

/** Of flows: the total, its parts, and the whole week or month with the most and the one with the least. */
function flowWords(table: TimedTable, { drawn }: Pane): string[] {
  const { unit } = table.column(drawn[0]!.column);
  const rows = table.rows.map(({ cells }) => cells);
  const amount = unit.replace(PER_DAY, '');
  const daysOf = ({ cells }: Row) => (amount === unit ? 1 : daysOfRow(cells));
  const totals = drawn.map((one) => ({
    label: one.label,
    total: table.points(one).reduce((sum, { row, value }) => sum + value * daysOf(row), 0),
  }));
  const span = formatRowsSpan(rows);
  // What goes in and what goes out do not add up.
  if (drawn.some(({ below }) => below))
    return [
      `${span}: ${formatList(totals.map(({ label, total }) => `${label} ${valueWords(total, amount)}`))}.`,
    ];
  const all = totals.reduce((sum, { total }) => sum + total, 0);
  const days = rows.reduce((sum, row) => sum + daysOfRow(row), 0);
  const perDay = amount === unit || days === 1 ? '' : `, ${valueWords(all / days, unit)}`;
  const parts = totals
    .toSorted((a, b) => b.total - a.total)
    .map(
      ({ label, total }) =>
        `${label} ${valueWords(total, '')} (${formatPercent(all === 0 ? 0 : total / all)})`,
    );
  const [only] = totals;
  const what = amount === 'count' && totals.length === 1 ? ` ${only!.label.toLowerCase()}` : '';
  return [
    `${span}: ${valueWords(all, amount)}${what} in all${perDay}.`,
    ...(parts.length > 1 ? [`${formatList(parts)}.`] : []),
    ...extremeWords(table, drawn, unit),
  ];
}

function extremeWords(table: TimedTable, drawn: readonly Drawn[], unit: string): string[] {
  const whole = table.rows
    .filter(({ partial }) => !partial)
    .map((row) => ({
      row,
      value: drawn.reduce((sum, { column }) => sum + (table.value(row, column) ?? 0), 0),
    }))
    .sort((a, b) => b.value - a.value);
  const [most, least] = [whole[0], whole.at(-1)];
  if (!most || !least || most.value === least.value) return [];
  return [`The highest was ${pointWords(most, unit)}, the lowest ${pointWords(least, unit)}.`];
}
