import { area, curveLinear, curveStepAfter, stack } from 'd3';
import type { ColumnPart, Row, TimedTable } from '../timed-table.ts';
import type { AxisNumbers, TimeScale, ValueAxis, ValueScale } from './axes.ts';
import { element, linePath, tenth } from './element.ts';
import { hatched, type Rect } from './hatched.ts';
import { type LegendItem, sideLabels } from './label.ts';
import type { Box, DrawnColumn, Plot } from './plot.ts';
import { type Colour, colourIn } from './theme.ts';

// What one plot over time shows: its table, and its lines, areas or columns.

/** A column of the table as it is drawn. */
export interface Drawn extends ColumnPart {
  /** Its name, and its value at the end of the line. */
  label: string;
  text?: string;
  colour: Colour;
  dash?: boolean;
  /** A line that changes at once, at each of its rows. */
  steps?: boolean;
  /** A dot at each row; a ring where the row is partial. */
  dots?: boolean;
  /** A column below zero. */
  below?: boolean;
}

/** A dot after the last row. */
export interface Latest {
  /** ms */
  time: number;
  column: string;
  value: number;
}

/** One plot of lines, stacked areas or stacked columns. */
export interface Pane extends Omit<ValueAxis, 'values' | 'numbers'> {
  mark: 'lines' | 'areas' | 'columns';
  /** Above the axis: `MIC per day`. */
  unit: string;
  drawn: readonly Drawn[];
  /** The axis has these values too: 0 and 1 for shares. */
  covers?: readonly number[];
  /** Columns with the ends of a pale band behind the lines. */
  band?: { low: string; high: string; colour: Colour };
  /** Share of the height, relative to the other panes. */
  share?: number;
}

/** By the unit of the column: shares are exact, there are no half events, of amounts the size matters. */
const NUMBERS: Readonly<Record<string, AxisNumbers>> = {
  share: 'exact',
  factor: 'exact',
  points: 'exact',
  count: 'whole',
};

/** The axis of a pane, with what it draws and the values that it has to cover beside. */
export function axisOf(pane: Pane, table: TimedTable, also: readonly number[] = []): ValueAxis {
  const numbers = NUMBERS[table.column(pane.drawn[0]!.column).unit] ?? 'short';
  return { ...pane, numbers, values: [...valuesOf(pane, table), ...also] };
}

/** The extent of what a pane draws. */
function valuesOf({ mark, drawn, band, covers = [] }: Pane, table: TimedTable): number[] {
  const ends = band ? [{ column: band.low }, { column: band.high }] : [];
  if (mark === 'lines') return [...covers, ...[...drawn, ...ends].flatMap((one) => table.values(one))];
  const sum = (row: Row, below: boolean) =>
    drawn
      .filter((one) => (one.below ?? false) === below)
      .reduce((total, { column }) => total + Math.max(0, table.value(row, column) ?? 0), 0);
  return table.rows.flatMap((row) => [sum(row, false), -sum(row, true)]);
}

export interface Frame {
  pane: Pane;
  x: TimeScale;
  y: ValueScale;
  inner: Box;
}

export function lookOf(
  { label: name, text, colour, dash }: Drawn,
  mark: Pane['mark'],
  { theme }: Plot,
): LegendItem {
  const area = mark !== 'lines';
  const shape = dash ? { shape: 'dashes' as const } : {};
  return {
    text: text === undefined ? name : `${name} ${text}`,
    colour: colourIn(theme, colour),
    area,
    ...shape,
  };
}

export function tellScale({ pane, x, y, inner }: Frame, { theme, onScale }: Plot): void {
  const [from, to] = x.domain().map(Number) as [number, number];
  const mark = pane.mark === 'lines' ? 'line' : 'area';
  const drawn = pane.drawn.map(
    ({ column, of, colour }): DrawnColumn => ({
      column,
      ...(of === undefined ? {} : { of }),
      colour: colourIn(theme, colour),
      mark,
    }),
  );
  const values = { domain: y.domain() as [number, number], scale: pane.scale ?? 'linear' };
  onScale?.({ kind: 'time', from, to, box: inner, values, drawn });
}

export function paneMarks(
  frame: Frame,
  table: TimedTable,
  chart: { latest?: Latest | undefined },
  plot: Plot,
): string[] {
  const { mark } = frame.pane;
  if (mark === 'lines') return lines(frame, table, chart, plot);
  // An area has no width where there is one row.
  return mark === 'areas' && table.rows.length > 1 ? areas(frame, table, plot) : columns(frame, table, plot);
}

const DOT = 3.5;

function lines(
  { pane, x, y, inner }: Frame,
  table: TimedTable,
  { latest }: { latest?: Latest | undefined },
  { theme }: Plot,
): string[] {
  const { band, drawn, scale } = pane;
  const height = (value: number | null) =>
    value === null || (scale === 'log' && value <= 0) ? null : y(value);
  const range =
    band &&
    area<Row>(
      ({ middle }) => x(middle),
      (row) => y(table.value(row, band.low)!),
      (row) => y(table.value(row, band.high)!),
    )
      .defined((row) => table.value(row, band.low) !== null)
      .digits(1)([...table.rows]);
  const paths = drawn.flatMap((one) => {
    const stroke = colourIn(theme, one.colour);
    const points = table
      .of(one)
      .map((row) => ({ row, x: x(row.middle), y: height(table.value(row, one.column)) }));
    const end = one.steps ? [{ x: inner.right, y: points.at(-1)!.y }] : [];
    const path = linePath([...points, ...end], {
      stroke,
      curve: one.steps ? curveStepAfter : curveLinear,
      ...(one.dash ? { dash: '6 4' } : {}),
    });
    const ring = { fill: theme.paper, stroke, 'stroke-width': 1.5 };
    const dots = points.flatMap(({ row, x, y }) =>
      y === null
        ? []
        : [element('circle', { cx: x, cy: y, r: DOT, ...(row.partial ? ring : { fill: stroke }) })],
    );
    return [path, ...(one.dots || one.steps ? dots : [])];
  });
  const last = latest && drawn.find(({ column }) => column === latest.column);
  // A narrow picture ends at the plot's edge, so the dot is moved inside.
  const at = last && {
    cx: Math.min(x(latest.time), inner.right - DOT),
    cy: y(latest.value),
    r: DOT,
    fill: colourIn(theme, last.colour),
  };
  return [
    ...(band && range
      ? [element('path', { d: range, fill: colourIn(theme, band.colour), 'fill-opacity': 0.22 })]
      : []),
    ...paths,
    ...(at ? [element('circle', at)] : []),
  ];
}

function areas({ pane, x, y }: Frame, table: TimedTable, { theme }: Plot): string[] {
  const layers = stack<Row, Drawn>()
    .keys(pane.drawn)
    .value((row, { column }) => table.value(row, column) ?? 0)([...table.rows]);
  const shape = area<[number, number]>(
    (_, index) => x(table.rows[index]!.middle),
    ([low]) => y(low),
    ([, high]) => y(high),
  ).digits(1);
  return layers.map((layer) =>
    element('path', {
      d: shape(layer.map(([low, high]) => [low, high])) ?? '',
      fill: colourIn(theme, layer.key.colour),
      stroke: theme.paper,
      'stroke-width': 0.75,
    }),
  );
}

/** The gap between two columns that are wide enough for one. */
const COLUMN_GAP = 1;

/** One path per series, since a rectangle per value would be ten times the text. Columns that are not whole are hatched. */
function columns({ pane, x, y }: Frame, table: TimedTable, { theme }: Plot): string[] {
  const rects = pane.drawn.map(() => ({ whole: [] as Rect[], partial: [] as Rect[] }));
  for (const row of table.rows) {
    const [left, end] = [x(row.from), x(row.to)];
    const right = end - left > 3 * COLUMN_GAP ? end - COLUMN_GAP : end;
    const base = { above: 0, below: 0 };
    for (const [index, { column, below }] of pane.drawn.entries()) {
      const value = Math.max(0, table.value(row, column) ?? 0);
      const side = below ? 'below' : 'above';
      const ends = [base[side], base[side] + (below ? -value : value)] as const;
      [, base[side]] = ends;
      const [top, bottom] = ends.map((end) => y(end)).sort((a, b) => a - b) as [number, number];
      if (value > 0) rects[index]![row.partial ? 'partial' : 'whole'].push({ left, right, top, bottom });
    }
  }
  return rects.flatMap(({ whole, partial }, index) => {
    const fill = colourIn(theme, pane.drawn[index]!.colour);
    const d = whole.map(
      ({ left, right, top, bottom }) =>
        `M${tenth(left)},${tenth(bottom)}h${tenth(right - left)}V${tenth(top)}h${tenth(left - right)}z`,
    );
    return [...(d.length > 0 ? [element('path', { d: d.join(''), fill })] : []), ...hatched(partial, fill)];
  });
}

/** The names of the series beside the ends of their marks. */
export function endLabels(
  { pane, y, inner }: Frame,
  table: TimedTable,
  { latest }: { latest?: Latest | undefined },
  plot: Plot,
): string[] {
  const { box, theme } = plot;
  const base = { above: 0, below: 0 };
  const last = table.rows.at(-1)!;
  const names = pane.drawn.map((one, index) => {
    const look = lookOf(one, pane.mark, plot);
    if (pane.mark === 'lines') {
      const end = latest?.column === one.column ? latest.value : (table.values(one).at(-1) ?? 0);
      return { ...look, y: y(end) };
    }
    const value = Math.max(0, table.value(last, one.column) ?? 0);
    const [side, signed] = one.below ? (['below', -value] as const) : (['above', value] as const);
    base[side] += signed;
    // Names of series without a value at the end keep the stacking order.
    return { ...look, y: y(base[side] - signed / 2) + (one.below ? index : -index) / 1000 };
  });
  return sideLabels(names, inner, box.right, theme);
}
