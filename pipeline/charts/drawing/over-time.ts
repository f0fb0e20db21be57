import { DAY_MS, timeOfDay } from '../../words/day.ts';
import type { ChartTable } from '../chart-table.ts';
import { TimedTable } from '../timed-table.ts';
import { type Annotation, annotationMarks, LANE } from './annotations.ts';
import { AXIS_HEIGHT, type TimeScale, timeAxis, timeScale, valueAxis } from './axes.ts';
import { digestOf, element, segment, tenth } from './element.ts';
import {
  BOLD,
  clipText,
  type KeyItem,
  LABEL_SIZE,
  label,
  legend,
  sideLabelRoom,
  TICK_SIZE,
  textWidth,
} from './label.ts';
import {
  axisOf,
  type Drawn,
  endLabels,
  type Latest,
  linearMark,
  nameOf,
  type Pane,
  paneMarks,
} from './pane.ts';
import { type Block, type Box, type Edges, isNarrow, plotHeight, type Room, widthOf } from './plot.ts';
import { type Colour, colourIn } from './theme.ts';

/** The rows of the table from left to right, by the day or the days in their first cells: one plot, or several above each other. */
export interface OverTime {
  kind: 'over-time';
  panes: readonly Pane[];
  /** Each series of the only pane in a plot of its own, the others grey behind it. */
  panels?: boolean;
  /** What the colours of panels mean. */
  key?: readonly KeyItem[];
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

/** Of the axis's unit, above its highest value. */
const UNIT_HEIGHT = 18;

/** Lines, areas or columns with their axes, and the names of the series at the ends of their marks or above them. */
export function overTime(
  chart: OverTime,
  shown: ChartTable,
  annotations: readonly Annotation[],
  room: Room,
): Block {
  const table = new TimedTable(shown, chart.partial);
  const { until = 0, latest } = chart;
  const from = Math.min(...table.rows.map(({ from }) => from));
  const to = Math.max(until, latest?.time ?? 0, ...table.rows.map(({ to }) => to));
  const drawing = { chart, table, annotations, room, timesIn: (edges: Edges) => timeScale(from, to, edges) };
  return chart.panels ? panels(drawing) : panes(drawing);
}

interface Drawing {
  chart: OverTime;
  table: TimedTable;
  annotations: readonly Annotation[];
  room: Room;
  timesIn: (edges: Edges) => TimeScale;
}

const STRIP = 20;
const BELOW_PANE = 16;
const EACH_PANE = 60;

/** Plots above each other with one time axis. */
function panes({ chart, table, annotations, room, timesIn }: Drawing): Block {
  const { strip, latest } = chart;
  const { theme } = room;
  const names = chart.panes.flatMap(({ mark, drawn }) => drawn.map((one) => nameOf(one, mark)));
  // The axis names the only series of a picture, unless its last value stands beside it.
  const isNamed = names.length > 1 || chart.panes[0]!.drawn[0]!.text !== undefined;
  const key = legend(isNarrow(room) && isNamed ? names : [], room);
  const beside = isNarrow(room) || !isNamed ? 0 : sideLabelRoom(names, room);
  const right = room.right - beside;
  const lane = annotations.length > 0 ? LANE : 0;
  const height = plotHeight(room) + (chart.panes.length - 1) * EACH_PANE + lane;
  const shares = chart.panes.reduce((sum, { share = 1 }) => sum + share, 0);
  const draw = (above: number) => {
    const bottom = above + height - AXIS_HEIGHT - (strip ? STRIP : 0);
    const first = above + key.height + lane;
    let end = first;
    const drafts = chart.panes.map((pane, index) => {
      const start = end;
      end += ((bottom - first) * (pane.share ?? 1)) / shares;
      const inner = {
        left: room.left,
        right,
        top: start + UNIT_HEIGHT + TICK_SIZE / 2,
        bottom: end - (index === chart.panes.length - 1 ? 0 : BELOW_PANE),
      };
      const also = latest && pane.mark === 'lines' ? [latest.value] : [];
      const unit = start + TICK_SIZE / 2 - (index === 0 ? lane : 0);
      return { pane, unit, inner, axis: valueAxis(inner, axisOf(pane, table, also)) };
    });
    const edges = { left: room.left + Math.max(...drafts.map(({ axis }) => axis.width)), right };
    const x = timesIn(edges);
    return [
      ...key.draw(above),
      ...drafts.flatMap(({ pane, unit, inner: { top, bottom }, axis }, index) => {
        const frame = { pane, table, x, y: axis.y, inner: { ...edges, top, bottom }, latest };
        const rule = unit - 11;
        return [
          ...(index > 0 ? [segment([room.left, rule], [room.right, rule], { stroke: theme.rule })] : []),
          unitLabel(pane, unit, room),
          ...axis.marks(edges, theme),
          ...(index === 0 ? annotationMarks(placesOf(annotations, x, edges), frame.inner, theme) : []),
          ...paneMarks(frame, room),
          ...(beside === 0 ? [] : endLabels(frame, room)),
        ];
      }),
      ...(strip ? stripMarks(strip, table, { x, ...edges, y: bottom + STRIP / 2 + 2 }, room) : []),
      ...timeAxis(x, room, above + height - AXIS_HEIGHT, theme, { months: chart.months ?? false }),
    ];
  };
  return { height, draw };
}

function unitLabel({ unit }: Pane, y: number, room: Room): string {
  const words = clipText(unit, widthOf(room), TICK_SIZE);
  return label(words, room.left, y, { fill: room.theme.muted, size: TICK_SIZE });
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
  { theme }: Room,
): string[] {
  const fill = colourIn(theme, colour);
  const inside = (time: number) => Math.min(Math.max(x(time), left), right);
  const d = table.rows.map((row) => {
    const share = ((table.value(row, column) ?? 0) * DAY_MS) / (row.to - row.from);
    const [start, end] = [inside(row.from), inside(row.to)];
    const height = tenth(4 + 6 * Math.min(1, share));
    return share <= 0
      ? ''
      : `M${tenth(start)},${tenth(y + 5)}v${-height}h${tenth(Math.max(1, end - start))}v${height}z`;
  });
  return [
    segment([left, y + 5], [right, y + 5], { stroke: theme.rule }),
    ...(d.join('') === '' ? [] : [element('path', { d: d.join(''), fill })]),
    ...(isNarrow({ left, right }) || d.join('') === '' ? [] : [label(name, right + 12, y, { fill })]),
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

/** Small plots of the same width with the same scales, as many side by side as fit. Behind each line are those of all others. */
function panels({ chart, table, annotations, room, timesIn }: Drawing): Block {
  const { theme } = room;
  const pane = chart.panes[0]!;
  const key = legend(chart.key ?? [], room);
  const lane = annotations.length > 0 ? LANE : 0;
  const count = pane.drawn.length;
  const most = Math.max(1, Math.floor((widthOf(room) - AXIS_ROOM + GUTTER) / (LEAST_WIDTH + GUTTER)));
  // Ten panels are two rows of five, rather than six and four.
  const across = Math.ceil(count / Math.ceil(count / Math.min(5, most)));
  const row = TITLE + lane + PANEL + PANEL_DATES;
  const height = key.height + UNIT_HEIGHT + Math.ceil(count / across) * row;
  const draw = (above: number) => {
    const top = above + key.height + UNIT_HEIGHT + TITLE + lane;
    const axisIn = (inner: Box) => valueAxis(inner, axisOf(pane, table));
    const values = Math.max(AXIS_ROOM, axisIn({ ...room, top, bottom: top + PANEL }).width);
    const width = (widthOf(room) - values - (across - 1) * GUTTER) / across;
    const frames = pane.drawn.map((one, index) => {
      const left = room.left + values + (index % across) * (width + GUTTER);
      const upper = top + Math.floor(index / across) * row;
      const inner = { left, right: left + width, top: upper, bottom: upper + PANEL };
      const axis = axisIn(inner);
      return { one, axis, pane: { ...pane, drawn: [one] }, table, inner, x: timesIn(inner), y: axis.y };
    });
    const first = frames[0]!;
    // All lines in grey are drawn once and placed in every panel: ten lines in ten panels would be a hundred paths.
    const grey = pane.drawn.map((one) => linearMark(one, first, theme.muted, 1));
    const others = {
      id: `${room.id}-${digestOf(grey.join(''))}`,
      'stroke-opacity': 0.3,
      'fill-opacity': 0.3,
    };
    return [
      ...key.draw(above),
      unitLabel(pane, above + key.height + UNIT_HEIGHT / 2 - 1, room),
      ...(count > 1 ? [element('defs', {}, element('g', others, ...grey))] : []),
      ...frames.flatMap(({ one, axis, ...frame }, index) => {
        const { inner, x } = frame;
        const numbers = placesOf(annotations, x, inner).filter((_, at) => annotations[at]!.of === one.of);
        // Before SVG 2, `href` was in this namespace; every program reads it there.
        const use = { 'xmlns:xlink': 'http://www.w3.org/1999/xlink', 'xlink:href': `#${others.id}` };
        const place = { x: inner.left - first.inner.left, y: inner.top - first.inner.top };
        return [
          ...panelTitle(one, { ...inner, top: inner.top - lane - TITLE / 2 - 2 }, theme),
          ...axis.marks(inner, theme, { values: index % across === 0 }),
          ...annotationMarks(numbers, inner, theme),
          ...(count > 1 ? [element('use', { ...use, ...place })] : []),
          ...paneMarks(frame, room),
          ...timeAxis(x, { left: inner.left - 8, right: inner.right + 8 }, inner.bottom, theme),
        ];
      }),
    ];
  };
  return { height, draw };
}

/** The name, and the last value beside it, so that every plot has the same width. */
function panelTitle(
  { label: name, text = '', colour }: Drawn,
  { left, right, top }: Box,
  theme: Room['theme'],
): string[] {
  const fill = colourIn(theme, colour);
  const room = Math.max(20, right - left - textWidth(text, LABEL_SIZE) - 4);
  return [
    label(clipText(name, room, LABEL_SIZE, BOLD), left, top, { fill, weight: BOLD }),
    label(clipText(text, (right - left) * 0.6, LABEL_SIZE), right, top, { fill, anchor: 'end' }),
  ];
}
