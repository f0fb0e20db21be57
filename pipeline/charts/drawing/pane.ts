import { area, curveLinear, curveStepAfter, stack } from 'd3';
import type { ColumnPart, Row, TimedTable } from '../timed-table.ts';
import type { AxisNumbers, TimeScale, ValueAxis, ValueScale } from './axes.ts';
import { element, linePath, tenth } from './element.ts';
import { hatched } from './hatched.ts';
import { type SideLabel, sideLabels } from './label.ts';
import type { Box, Room } from './plot.ts';
import { type Colour, colourIn } from './theme.ts';

// What one plot over time shows: its lines, areas or columns.

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

/** By the unit of the column: shares are exact, there are no half deliberations, of amounts the size matters. */
const NUMBERS: Readonly<Record<string, AxisNumbers>> = {
  share: 'exact',
  factor: 'exact',
  points: 'exact',
  count: 'whole',
};

/** The axis of a pane, with what it draws and the values that it has to cover beside. */
export function axisOf(pane: Pane, table: TimedTable, also: readonly number[] = []): ValueAxis {
  const { mark, drawn, band, covers = [] } = pane;
  if (mark === 'lines') {
    const ends = band ? [{ column: band.low }, { column: band.high }] : [];
    const values = [...drawn, ...ends].flatMap((one) => table.values(one));
    return { ...pane, numbers: numbersOf(pane, table), values: [...covers, ...values, ...also] };
  }
  const layers = layersOf(pane, table).flat();
  return { ...pane, numbers: numbersOf(pane, table), values: layers.flat() };
}

/** There are no half events on a day, but there may be in the mean of a week. */
function numbersOf({ drawn }: Pane, table: TimedTable): AxisNumbers {
  const { unit } = table.column(drawn[0]!.column);
  if (unit === 'events per day' && drawn.flatMap((one) => table.values(one)).every(Number.isInteger))
    return 'whole';
  return NUMBERS[unit] ?? 'short';
}

/** Of each series, and of each row of the table, the ends of its part of the stack; those below zero have a stack of their own. */
function layersOf({ drawn }: Pane, table: TimedTable): (readonly [from: number, to: number])[][] {
  const layers = (below: boolean) =>
    stack<Row, Drawn>()
      .keys(drawn.filter((one) => (one.below ?? false) === below))
      .value((row, { column }) => Math.max(0, table.value(row, column) ?? 0) * (below ? -1 : 1))([
      ...table.rows,
    ]);
  const all = [...layers(false), ...layers(true)];
  return drawn.map((one) => all.find(({ key }) => key === one)!.map(([from, to]) => [from, to] as const));
}

export interface Frame {
  pane: Pane;
  table: TimedTable;
  x: TimeScale;
  y: ValueScale;
  inner: Box;
  latest?: Latest | undefined;
}

export function nameOf({ label: name, text, colour, dash }: Drawn, mark: Pane['mark']): SideLabel {
  const words = text === undefined ? name : `${name} ${text}`;
  return { text: words, colour, area: mark !== 'lines', ...(dash ? { shape: 'dashes' } : {}) };
}

/** What the pane draws; its scale goes to who listens. */
export function paneMarks(frame: Frame, room: Room): string[] {
  const { pane, table, x, y, inner } = frame;
  const [from, to] = x.domain().map(Number) as [number, number];
  room.onScale?.({
    kind: 'time',
    from,
    to,
    box: inner,
    values: { domain: y.domain() as [number, number], scale: pane.scale ?? 'linear' },
    drawn: pane.drawn.map(({ column, of, colour }) => ({
      column,
      ...(of === undefined ? {} : { of }),
      colour: colourIn(room.theme, colour),
      mark: pane.mark === 'lines' ? 'line' : 'area',
    })),
  });
  if (pane.mark === 'lines') return lines(frame, room);
  // An area has no width where there is one row.
  return pane.mark === 'areas' && table.rows.length > 1 ? areas(frame, room) : columns(frame, room);
}

const DOT = 3.5;

function lines(frame: Frame, { theme }: Room): string[] {
  const { pane, table, x, y, inner, latest } = frame;
  const { band, drawn } = pane;
  const range =
    band &&
    area<Row>(
      ({ middle }) => x(middle),
      (row) => y(table.value(row, band.low)!),
      (row) => y(table.value(row, band.high)!),
    )
      .defined((row) => table.value(row, band.low) !== null)
      .digits(1)([...table.rows]);
  const last = latest && drawn.find(({ column }) => column === latest.column);
  return [
    ...(band && range
      ? [element('path', { d: range, fill: colourIn(theme, band.colour), 'fill-opacity': 0.22 })]
      : []),
    ...drawn.flatMap((one) => {
      const stroke = colourIn(theme, one.colour);
      const ring = { fill: theme.paper, stroke, 'stroke-width': 1.5 };
      const dots = pointsOf(one, frame).flatMap(({ row, x, y }) =>
        y === null
          ? []
          : [element('circle', { cx: x, cy: y, r: DOT, ...(row.partial ? ring : { fill: stroke }) })],
      );
      return [linearMark(one, frame, stroke), ...(one.dots || one.steps ? dots : [])];
    }),
    // A narrow picture ends at the plot's edge, so the dot is moved inside.
    ...(last
      ? [
          element('circle', {
            cx: Math.min(x(latest.time), inner.right - DOT),
            cy: y(latest.value),
            r: DOT,
            fill: colourIn(theme, last.colour),
          }),
        ]
      : []),
  ];
}

function pointsOf(one: Drawn, { pane, table, x, y }: Pick<Frame, 'pane' | 'table' | 'x' | 'y'>) {
  return table.of(one).map((row) => {
    const value = table.value(row, one.column);
    const hasPlace = value !== null && (pane.scale !== 'log' || value > 0);
    return { row, x: x(row.middle), y: hasPlace ? y(value) : null };
  });
}

/** The line of a series. */
export function linearMark(one: Drawn, frame: Frame, stroke: string, width = 2): string {
  const points = pointsOf(one, frame);
  const end = one.steps ? [{ x: frame.inner.right, y: points.at(-1)!.y }] : [];
  return linePath([...points, ...end], {
    stroke,
    width,
    curve: one.steps ? curveStepAfter : curveLinear,
    ...(one.dash ? { dash: '6 4' } : {}),
  });
}

function areas({ pane, table, x, y }: Frame, { theme }: Room): string[] {
  const shape = area<readonly [number, number]>(
    (_, index) => x(table.rows[index]!.middle),
    ([low]) => y(low),
    ([, high]) => y(high),
  ).digits(1);
  return layersOf(pane, table).map((layer, index) =>
    element('path', {
      d: shape(layer) ?? '',
      fill: colourIn(theme, pane.drawn[index]!.colour),
      stroke: theme.paper,
      'stroke-width': 0.75,
    }),
  );
}

/** The gap between two columns that are wide enough for one. */
const COLUMN_GAP = 1;

/** One path per series, since a rectangle per value would be ten times the text. Columns that are not whole are hatched. */
function columns({ pane, table, x, y }: Frame, { theme }: Room): string[] {
  return layersOf(pane, table).flatMap((layer, index) => {
    const fill = colourIn(theme, pane.drawn[index]!.colour);
    const rects = layer.flatMap((ends, at): (Box & { partial: boolean })[] => {
      const { from, to, partial } = table.rows[at]!;
      const [left, end] = [x(from), x(to)];
      const right = end - left > 3 * COLUMN_GAP ? end - COLUMN_GAP : end;
      const [top, bottom] = ends.map((value) => y(value)).sort((a, b) => a - b) as [number, number];
      return ends[0] === ends[1] ? [] : [{ left, right, top, bottom, partial }];
    });
    const d = rects
      .filter(({ partial }) => !partial)
      .map(
        ({ left, right, top, bottom }) =>
          `M${tenth(left)},${tenth(bottom)}h${tenth(right - left)}V${tenth(top)}h${tenth(left - right)}z`,
      );
    const cut = rects.filter(({ partial }) => partial);
    return [...(d.length > 0 ? [element('path', { d: d.join(''), fill })] : []), ...hatched(cut, fill)];
  });
}

/** The names of the series beside the ends of their marks. */
export function endLabels({ pane, table, y, inner, latest }: Frame, { right, theme }: Room): string[] {
  const layers = pane.mark === 'lines' ? [] : layersOf(pane, table);
  const names = pane.drawn.map((one, index) => {
    const name = nameOf(one, pane.mark);
    if (pane.mark === 'lines') {
      const end = latest?.column === one.column ? latest.value : (table.values(one).at(-1) ?? 0);
      return { ...name, y: y(end) };
    }
    const [from, to] = layers[index]!.at(-1)!;
    // Names of series without a value at the end keep the stacking order.
    return { ...name, y: y((from + to) / 2) + (one.below ? index : -index) / 1000 };
  });
  return sideLabels(names, inner, right, theme);
}
