import { timeOfDay } from '../../words/day.ts';
import { type Annotation, annotationList, listHeight, numbered } from './annotations.ts';
import { element, linePath } from './element.ts';
import {
  BOLD,
  clipText,
  LABEL_SIZE,
  type LegendItem,
  label,
  legend,
  legendHeight,
  TICK_SIZE,
  textWidth,
} from './label.ts';
import { type Box, type Plot, widthOf } from './plot.ts';
import { AXIS_HEIGHT, timeAxis, timeScale, valueAxis } from './time-frame.ts';

export interface Panel {
  title: string;
  /** The value at the end of the line, beside the title, so that every plot has the same width. */
  text: string;
  colour: string;
  points: readonly { date: string; value: number | null }[];
  /** The column of the table, and in a table with a row for each series the name of the series. */
  column: string;
  of?: string;
}

interface PanelOptions {
  from: string;
  to: string;
  format: (value: number) => string;
  /** What the values are, once for all panels. */
  unit: string;
  limits?: readonly [number, number];
  /** For a scale that need not begin at zero: its least span. */
  leastSpan?: number;
  /** Days that explain a fall in the panel of `of`: a number there, and its words below all panels. */
  annotations?: readonly (Annotation & { of: string })[];
  /** The meaning of the colours, where they have one. */
  key?: readonly LegendItem[];
}

const PLOT_HEIGHT = 104;
const TITLE_HEIGHT = 24;
const UNIT_HEIGHT = 20;
const PANEL_HEIGHT = TITLE_HEIGHT + PLOT_HEIGHT + AXIS_HEIGHT + 10;
const GUTTER = 18;
/** A narrower panel has no room for its name, its value and two dates. */
const LEAST_WIDTH = 120;
/** Of the values of the shared axis, usually. */
const AXIS_ROOM = 32;

function columnsIn(width: number, count: number): number {
  const most = Math.max(1, Math.floor((width - AXIS_ROOM + GUTTER) / (LEAST_WIDTH + GUTTER)));
  // Ten panels are two rows of five, rather than six and four.
  return Math.ceil(count / Math.ceil(count / Math.min(5, most)));
}

export function panelsHeight(count: number, width: number, key: readonly LegendItem[] = []): number {
  return legendHeight(key, width) + UNIT_HEIGHT + Math.ceil(count / columnsIn(width, count)) * PANEL_HEIGHT;
}

/**
 * Small plots of the same width with the same time and value scale, as many side by side as fit. Each has one line, and behind it
 * those of all others in grey, so that it is compared with them.
 */
export function panels(list: readonly Panel[], options: PanelOptions, plot: Plot): string[] {
  const { box, theme } = plot;
  const names = legend(options.key ?? [], box, theme);
  const columns = columnsIn(widthOf(box), list.length);
  const values = list.flatMap(({ points }) => points.map(({ value }) => value ?? Number.NaN));
  const room = axisRoom(values, options, plot);
  const width = (widthOf(box) - room - (columns - 1) * GUTTER) / columns;
  const top = box.top + names.height + UNIT_HEIGHT;
  const boxes = list.map((_, index): Box => {
    const left = box.left + room + (index % columns) * (width + GUTTER);
    const upper = top + Math.floor(index / columns) * PANEL_HEIGHT + TITLE_HEIGHT;
    return { left, right: left + width, top: upper, bottom: upper + PLOT_HEIGHT };
  });
  const unit = label(clipText(options.unit, widthOf(box), TICK_SIZE), box.left, top - UNIT_HEIGHT / 2, {
    fill: theme.muted,
    size: TICK_SIZE,
  });
  const others = contextOf(list, values, boxes[0]!, options, plot);
  return [
    ...names.marks,
    unit,
    ...others.marks,
    ...list.flatMap((panel, index) => {
      const inner = boxes[index]!;
      const behind = others.at(inner);
      return onePanel(panel, { values, inner, behind, isFirst: index % columns === 0 }, options, plot);
    }),
    ...(plot.withoutList
      ? []
      : annotationList(
          options.annotations ?? [],
          { ...box, top: box.bottom - listHeight(options.annotations ?? [], widthOf(box)) },
          theme,
        )),
  ];
}

/** All lines in grey, drawn once and placed in every panel: ten lines in ten panels would be a hundred paths. */
function contextOf(
  list: readonly Panel[],
  values: readonly number[],
  box: Box,
  options: PanelOptions,
  plot: Plot,
): { marks: string[]; at: (inner: Box) => string[] } {
  if (list.length < 2) return { marks: [], at: () => [] };
  const { x, y } = scalesOf(values, options, box, plot);
  const style = { stroke: plot.theme.muted, width: 1 };
  const lines = list.map(({ points }) => linePath(placed(points, x, y), style));
  const name = `${plot.id}-others`;
  return {
    marks: [
      element('defs', {}, element('g', { id: name, 'stroke-opacity': 0.3, 'fill-opacity': 0.3 }, ...lines)),
    ],
    // Before SVG 2, `href` was in this namespace; every program reads it there.
    at: ({ left, top }) => [
      element('use', {
        'xmlns:xlink': 'http://www.w3.org/1999/xlink',
        'xlink:href': `#${name}`,
        x: left - box.left,
        y: top - box.top,
      }),
    ],
  };
}

type Scale = (value: number) => number;

function placed(points: Panel['points'], x: Scale, y: Scale): { x: number; y: number | null }[] {
  return points.map(({ date, value }) => ({ x: x(timeOfDay(date)), y: value === null ? null : y(value) }));
}

/** The width of the axis's values. */
function axisRoom(values: readonly number[], options: PanelOptions, { box, theme }: Plot): number {
  const one = { ...box, top: 0, bottom: PLOT_HEIGHT };
  return Math.max(AXIS_ROOM, valueAxis(one, theme, axisOf(values, options)).inner.left - box.left);
}

function axisOf(values: readonly number[], { format, limits, leastSpan }: PanelOptions) {
  return {
    values,
    fromZero: leastSpan === undefined,
    scale: 'linear',
    format,
    ...(limits ? { limits } : {}),
    ...(leastSpan === undefined ? {} : { leastSpan }),
  } as const;
}

function scalesOf(values: readonly number[], options: PanelOptions, box: Box, { theme, box: whole }: Plot) {
  const { from, to } = options;
  const { y, marks } = valueAxis({ ...whole, top: box.top, bottom: box.bottom }, theme, {
    ...axisOf(values, options),
    edges: { left: box.left, right: box.right },
  });
  return { x: timeScale(timeOfDay(from), timeOfDay(to), box.left, box.right), y, marks };
}

function onePanel(
  { title, text, colour, points, column, of }: Panel,
  {
    values,
    inner: box,
    behind,
    isFirst,
  }: { values: readonly number[]; inner: Box; behind: string[]; isFirst: boolean },
  options: PanelOptions,
  plot: Plot,
): string[] {
  const { theme, onScale } = plot;
  const { x, y, marks } = scalesOf(values, options, box, plot);
  const [from, to] = x.domain().map(Number) as [number, number];
  onScale?.({
    kind: 'time',
    from,
    to,
    box,
    values: { domain: y.domain() as [number, number], scale: 'linear' },
    drawn: [{ column, ...(of === undefined ? {} : { of }), colour, mark: 'line' }],
  });
  const end = textWidth(text, LABEL_SIZE);
  const head = box.top - TITLE_HEIGHT / 2 - 2;
  // The rules continue in every panel, their values stand at the first of each row.
  const rules = isFirst ? marks : marks.filter((mark) => mark.startsWith('<line'));
  return [
    label(clipText(title, Math.max(20, widthOf(box) - end - 8), LABEL_SIZE, BOLD), box.left, head, {
      fill: colour,
      weight: BOLD,
    }),
    label(clipText(text, widthOf(box) * 0.6, LABEL_SIZE), box.right, head, { fill: colour, anchor: 'end' }),
    ...rules,
    ...behind,
    linePath(placed(points, x, y), { stroke: colour }),
    ...(options.annotations ?? []).flatMap((one, index) =>
      one.of === of ? numbered(index, ...besideFall(one, points, { x, y, box }), theme) : [],
    ),
    ...timeAxis(x, { left: box.left - 8, right: box.right + 8 }, box.bottom, theme),
  ];
}

/** Below the lowest point of the annotation's days, inside the plot. */
function besideFall(
  { day }: Annotation,
  points: Panel['points'],
  { x, y, box }: { x: Scale; y: Scale; box: Box },
): [x: number, y: number] {
  const next = points.findIndex(({ date }) => date >= day);
  const near = points.slice(Math.max(0, next), Math.max(0, next) + 2);
  const lowest = Math.min(...near.map(({ value }) => value ?? Number.POSITIVE_INFINITY));
  const at = x(timeOfDay(near.find(({ value }) => value === lowest)?.date ?? day));
  const height = Number.isFinite(lowest) ? y(lowest) : box.bottom;
  return [Math.min(Math.max(at, box.left + 9), box.right - 9), Math.min(height + 12, box.bottom - 9)];
}
