import { DAY_MS, timeOfDay } from '../../words/day.ts';
import type { ChartTable } from '../chart-table.ts';
import { TimedTable } from '../timed-table.ts';
import { type Annotation, annotationMarks, LANE } from './annotations.ts';
import { AXIS_HEIGHT, type Edges, type TimeScale, timeAxis, timeScale, valueAxis } from './axes.ts';
import { element, linePath, segment, tenth } from './element.ts';
import {
  BOLD,
  clipText,
  keyIn,
  LABEL_SIZE,
  label,
  legend,
  legendHeight,
  sideLabelRoom,
  TICK_SIZE,
  textWidth,
} from './label.ts';
import {
  axisOf,
  type Drawn,
  endLabels,
  type Frame,
  type Latest,
  lookOf,
  type Pane,
  paneMarks,
  tellScale,
} from './pane.ts';
import { type Box, isNarrow, type Plot, timePlotHeight, widthOf } from './plot.ts';
import { type Colour, colourIn } from './theme.ts';

/** The rows of the table from left to right, by the day or the days in their first cells: one plot, or several above each other. */
export interface OverTime {
  kind: 'over-time';
  panes: readonly Pane[];
  /** Each series of the only pane in a plot of its own, the others grey behind it. */
  panels?: boolean;
  /** What the colours of panels mean. */
  key?: readonly { text: string; colour: Colour }[];
  /** For each row: whether it is a week or month that is not whole. */
  partial?: readonly boolean[];
  /** The axis goes on to this time, ms. */
  until?: number;
  latest?: Latest;
  /** A strip below the plot that is filled where this column is not 0. */
  strip?: { column: string; label: string; colour: Colour };
  /** The rows are months, whose names stand in the middle. */
  months?: boolean;
}

const STRIP = 20;
/** Of the axis's unit, above its highest value. */
const UNIT_HEIGHT = 18;
const BELOW_PANE = 16;

export function overTimeHeight(chart: OverTime, annotations: readonly Annotation[], width: number): number {
  if (chart.panels) return panelsHeight(chart, annotations, width);
  return timePlotHeight(width) + (chart.panes.length - 1) * 60 + (annotations.length > 0 ? LANE : 0);
}

/** The panes with their axes, one time axis for all, and the names of the series at the ends of their marks. */
export function overTime(
  chart: OverTime,
  shown: ChartTable,
  annotations: readonly Annotation[],
  plot: Plot,
): string[] {
  return (chart.panels ? panels : panes)(chart, new TimedTable(shown, chart.partial), annotations, plot);
}

function panes(chart: OverTime, table: TimedTable, annotations: readonly Annotation[], plot: Plot): string[] {
  const { box, theme } = plot;
  const { strip, until = 0, latest } = chart;
  const all = chart.panes.flatMap(({ mark, drawn }) => drawn.map((one) => lookOf(one, mark, plot)));
  const narrow = isNarrow(box);
  // The axis names the only series of a picture, unless its last value stands beside it.
  const named = all.length > 1 || chart.panes[0]!.drawn[0]!.text !== undefined;
  const key = legend(narrow && named ? all : [], box, theme);
  const room = narrow || !named ? 0 : sideLabelRoom(all, box);
  const bottom = box.bottom - AXIS_HEIGHT - (strip ? STRIP : 0);
  const shares = chart.panes.reduce((sum, { share = 1 }) => sum + share, 0);
  const lane = annotations.length > 0 ? LANE : 0;
  const height = bottom - box.top - key.height - lane;
  let top = box.top + key.height;
  const drafts = chart.panes.map((pane, index) => {
    const unit = top + TICK_SIZE / 2;
    const first = index === 0 ? lane : 0;
    const inner = {
      ...box,
      right: box.right - room,
      top: top + UNIT_HEIGHT + TICK_SIZE / 2 + first,
      bottom: 0,
    };
    top += first + (height * (pane.share ?? 1)) / shares;
    inner.bottom = top - (index === chart.panes.length - 1 ? 0 : BELOW_PANE);
    const also = latest && pane.mark === 'lines' ? [latest.value] : [];
    return { pane, unit, inner, axis: valueAxis(inner, axisOf(pane, table, also)) };
  });
  const edges = {
    left: box.left + Math.max(...drafts.map(({ axis }) => axis.width)),
    right: box.right - room,
  };
  const from = Math.min(...table.rows.map(({ from }) => from));
  const x = timeScale(from, Math.max(until, latest?.time ?? 0, ...table.rows.map(({ to }) => to)), edges);
  return [
    ...key.marks,
    ...drafts.flatMap(({ pane, unit, inner: { top, bottom }, axis }, index) => {
      const frame = { pane, x, y: axis.y, inner: { ...edges, top, bottom } };
      tellScale(frame, plot);
      const above = unit - 11;
      return [
        ...(index > 0 ? [segment([box.left, above], [box.right, above], { stroke: theme.rule })] : []),
        label(clipText(pane.unit, widthOf(box), TICK_SIZE), box.left, unit, {
          fill: theme.muted,
          size: TICK_SIZE,
        }),
        ...axis.marks(edges, theme),
        ...(index === 0 ? annotationMarks(placesOf(annotations, x, edges), frame.inner, theme) : []),
        ...paneMarks(frame, table, chart, plot),
        ...(room === 0 ? [] : endLabels(frame, table, chart, plot)),
      ];
    }),
    ...(strip ? stripMarks(strip, table, { x, ...edges, y: bottom + STRIP / 2 + 2 }, plot) : []),
    ...timeAxis(x, box, box.bottom - AXIS_HEIGHT, theme, { months: chart.months ?? false }),
  ];
}

/** The middle of each annotation's days, inside the plot. */
function placesOf(annotations: readonly Annotation[], x: TimeScale, { left, right }: Edges) {
  return annotations.map(({ day, end = day }, index) => {
    const at = x((timeOfDay(day) + timeOfDay(end) + DAY_MS) / 2);
    return { number: index + 1, at: Math.min(Math.max(at, left), right) };
  });
}

/** A bar for each row with such days, on a rule that stands for all; the more days, the taller. */
function stripMarks(
  { column, label: name, colour }: NonNullable<OverTime['strip']>,
  table: TimedTable,
  { x, y, left, right }: Edges & { x: TimeScale; y: number },
  { box, theme }: Plot,
): string[] {
  const fill = colourIn(theme, colour);
  const d = table.rows.map((row) => {
    const share = ((table.value(row, column) ?? 0) * DAY_MS) / (row.to - row.from);
    const [start, end] = [row.from, row.to].map((time) => Math.min(Math.max(x(time), left), right)) as [
      number,
      number,
    ];
    const height = tenth(4 + 6 * Math.min(1, share));
    return share <= 0
      ? ''
      : `M${tenth(start)},${tenth(y + 5)}v${-height}h${tenth(Math.max(1, end - start))}v${height}z`;
  });
  return [
    segment([left, y + 5], [right, y + 5], { stroke: theme.rule }),
    ...(d.join('') === '' ? [] : [element('path', { d: d.join(''), fill })]),
    ...(isNarrow({ ...box, left, right }) || d.join('') === '' ? [] : [label(name, right + 12, y, { fill })]),
  ];
}

const PANEL = 104;
const TITLE = 24;
const GUTTER = 18;
/** A narrower panel has no room for its name, its value and two dates. */
const LEAST_WIDTH = 120;
/** Of the values of the shared axis, usually. */
const AXIS_ROOM = 32;
const PANEL_DATES = AXIS_HEIGHT + 10;

function panelsIn(width: number, count: number): number {
  const most = Math.max(1, Math.floor((width - AXIS_ROOM + GUTTER) / (LEAST_WIDTH + GUTTER)));
  // Ten panels are two rows of five, rather than six and four.
  return Math.ceil(count / Math.ceil(count / Math.min(5, most)));
}

function panelsHeight(
  { panes: [pane], key = [] }: OverTime,
  annotations: readonly Annotation[],
  width: number,
): number {
  const rows = Math.ceil(pane!.drawn.length / panelsIn(width, pane!.drawn.length));
  const row = TITLE + (annotations.length > 0 ? LANE : 0) + PANEL + PANEL_DATES;
  return legendHeight(key, width) + UNIT_HEIGHT + rows * row;
}

/** Small plots of the same width with the same scales, as many side by side as fit. Behind each line are those of all others. */
function panels(
  chart: OverTime,
  table: TimedTable,
  annotations: readonly Annotation[],
  plot: Plot,
): string[] {
  const { box, theme } = plot;
  const pane = chart.panes[0]!;
  const key = legend(keyIn(chart.key ?? [], theme), box, theme);
  const axisIn = (inner: Box) => valueAxis(inner, axisOf(pane, table));
  const lane = annotations.length > 0 ? LANE : 0;
  const top = box.top + key.height + UNIT_HEIGHT + TITLE + lane;
  const room = Math.max(AXIS_ROOM, axisIn({ ...box, top, bottom: top + PANEL }).width);
  const count = panelsIn(widthOf(box), pane.drawn.length);
  const width = (widthOf(box) - room - (count - 1) * GUTTER) / count;
  const from = Math.min(...table.rows.map((row) => row.from));
  const to = Math.max(...table.rows.map((row) => row.to));
  const frameOf = (index: number) => {
    const left = box.left + room + (index % count) * (width + GUTTER);
    const upper = top + Math.floor(index / count) * (TITLE + lane + PANEL + PANEL_DATES);
    const inner = { left, right: left + width, top: upper, bottom: upper + PANEL };
    const axis = axisIn(inner);
    return { axis, inner, x: timeScale(from, to, inner), y: axis.y };
  };
  const path = (one: Drawn, { x, y }: Pick<Frame, 'x' | 'y'>, style: { stroke: string; width?: number }) =>
    linePath(
      table.of(one).map((row) => {
        const value = table.value(row, one.column);
        return { x: x(row.middle), y: value === null ? null : y(value) };
      }),
      style,
    );
  const first = frameOf(0);
  // All lines in grey are drawn once and placed in every panel: ten lines in ten panels would be a hundred paths.
  const others = { id: `${plot.id}-others`, 'stroke-opacity': 0.3, 'fill-opacity': 0.3 };
  const grey = pane.drawn.map((one) => path(one, first, { stroke: theme.muted, width: 1 }));
  const unit = clipText(pane.unit, widthOf(box), TICK_SIZE);
  return [
    ...key.marks,
    label(unit, box.left, box.top + key.height + UNIT_HEIGHT / 2 - 1, { fill: theme.muted, size: TICK_SIZE }),
    ...(grey.length > 1 ? [element('defs', {}, element('g', others, ...grey))] : []),
    ...pane.drawn.flatMap((one, index) => {
      const { axis, inner, x, y } = frameOf(index);
      const stroke = colourIn(theme, one.colour);
      tellScale({ pane: { ...pane, drawn: [one] }, x, y, inner }, plot);
      const numbers = placesOf(annotations, x, inner).filter((_, at) => annotations[at]!.of === one.of);
      return [
        ...panelTitle(one, { ...inner, top: inner.top - lane - TITLE / 2 - 2 }, stroke),
        ...axis.marks(inner, theme, { values: index % count === 0 }),
        ...annotationMarks(numbers, inner, theme),
        ...(grey.length > 1
          ? [
              // Before SVG 2, `href` was in this namespace; every program reads it there.
              element('use', {
                'xmlns:xlink': 'http://www.w3.org/1999/xlink',
                'xlink:href': `#${others.id}`,
                x: inner.left - first.inner.left,
                y: inner.top - first.inner.top,
              }),
            ]
          : []),
        path(one, { x, y }, { stroke }),
        ...timeAxis(x, { left: inner.left - 8, right: inner.right + 8 }, inner.bottom, theme),
      ];
    }),
  ];
}

/** The name, and the last value beside it, so that every plot has the same width. */
function panelTitle({ label: name, text = '' }: Drawn, { left, right, top }: Box, fill: string): string[] {
  const room = Math.max(20, right - left - textWidth(text, LABEL_SIZE) - 8);
  return [
    label(clipText(name, room, LABEL_SIZE, BOLD), left, top, { fill, weight: BOLD }),
    label(clipText(text, (right - left) * 0.6, LABEL_SIZE), right, top, { fill, anchor: 'end' }),
  ];
}
