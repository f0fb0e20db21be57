import { scaleLinear } from 'd3';
import type { ChartTable } from '../chart-table.ts';
import { spanOf } from '../timed-table.ts';
import { AXIS_HEIGHT, levelTicks, timeAxis, timeScale } from './axes.ts';
import { element, segment } from './element.ts';
import {
  BOLD,
  clipText,
  keyIn,
  LABEL_SIZE,
  type LegendItem,
  label,
  legend,
  legendHeight,
  type Shape,
  TICK_SIZE,
  textWidth,
} from './label.ts';
import { type Box, isNarrow, type Plot, widthOf } from './plot.ts';
import { type Colour, colourIn } from './theme.ts';

type Key = readonly { text: string; colour: Colour; shape?: Shape }[];

/** A horizontal bar from zero for each row of the table. */
export interface Bars {
  kind: 'bars';
  rows: readonly { label: string; value: number; colour: Colour; text: string; detail?: string }[];
  key?: Key;
  /** Reference values, named above the rows; `short` is the name in a narrow plot. */
  rules?: readonly { value: number; text: string; short?: string }[];
  /** End of the scale, if it is not the highest value. */
  most?: number;
}

/** Two dots on a line for each row of the table: numbers from zero, or days. The second one is full. */
export interface Dots {
  kind: 'dots';
  axis: 'numbers' | 'days';
  rows: readonly {
    label: string;
    ring: { at: number; colour: Colour } | null;
    full: { at: number; colour: Colour } | null;
    /** Connects the dots. */
    line: Colour | null;
    /** At the row's end. */
    text: string;
    colour: Colour;
  }[];
  /** What the texts are: `Status`. */
  texts: string;
  key: Key;
  /** A line across all rows. */
  rule?: { at: number; text: string };
}

/** A row of cells for each series, one cell for each row of the table, which has the statuses in a column of the series' name. */
export interface Cells {
  kind: 'cells';
  /** `text` is at the row's end. */
  rows: readonly { label: string; text: string }[];
  /** What the texts are: `days without a silence`. */
  texts: string;
  /** `share` of the cell's height is filled, for readers who do not see colours. */
  looks: Readonly<Record<string, { text: string; colour: Colour; share: number }>>;
}

const ROW = 26;
const RULE_ROOM = 20;

/** The middles of rows below a key, and the room of the names beside them. */
function rowsIn(
  { box, theme }: Plot,
  rows: readonly { label: string }[],
  { key, above, most }: { key: readonly LegendItem[]; above: number; most: number },
) {
  const names = legend(key, box, theme);
  const top = box.top + names.height + above;
  const longest = Math.max(0, ...rows.map(({ label }) => textWidth(label, LABEL_SIZE)));
  const left = box.left + Math.min(longest + 9, widthOf(box) * most);
  const middles = rows.map((_, index) => top + (index + 0.5) * ROW);
  const marks = rows.map(({ label: name }, index) =>
    label(clipText(name, left - box.left - 7, LABEL_SIZE), left - 8, middles[index]!, {
      fill: theme.ink,
      anchor: 'end',
    }),
  );
  return { left, top, middles, bottom: top + rows.length * ROW, marks: [...names.marks, ...marks] };
}

export function barsHeight({ rows, key = [], rules = [] }: Bars, width: number): number {
  return legendHeight(key, width) + (rules.length > 0 ? RULE_ROOM : 0) + rows.length * ROW + 4;
}

const BAR = 16;
const DETAIL_GAP = 8;

export function bars({ rows, key = [], rules = [], most = 0 }: Bars, plot: Plot): string[] {
  const { box, theme } = plot;
  const above = rules.length > 0 ? RULE_ROOM : 0;
  const frame = rowsIn(plot, rows, { key: keyIn(key, theme), above, most: 0.42 });
  const end = Math.max(most, ...rows.map(({ value }) => value), ...rules.map(({ value }) => value)) || 1;
  const hasDetail = !isNarrow(box);
  const room = rows.map(({ text, detail = '' }) => {
    const own = textWidth(text, LABEL_SIZE, BOLD);
    return hasDetail && detail !== '' ? own + DETAIL_GAP + textWidth(detail, TICK_SIZE) : own;
  });
  const right = Math.max(frame.left + 20, box.right - Math.max(0, ...room) - 8);
  const x = scaleLinear([0, end], [frame.left, right]);
  plot.onScale?.({ kind: 'rows', middles: frame.middles });
  const words = rows.flatMap(({ value, text, detail }, index) => {
    const [at, y] = [x(value) + 6, frame.middles[index]!];
    const after = at + textWidth(text, LABEL_SIZE, BOLD) + DETAIL_GAP;
    const words = clipText(text, box.right - at, LABEL_SIZE, BOLD);
    return [
      label(words, at, y, { fill: theme.ink, weight: BOLD, ground: theme.paper }),
      ...(hasDetail && detail !== undefined
        ? [label(detail, after, y, { fill: theme.muted, size: TICK_SIZE, ground: theme.paper })]
        : []),
    ];
  });
  return [
    ...frame.marks,
    ...rows.map(({ value, colour }, index) =>
      element('rect', {
        x: frame.left,
        y: frame.middles[index]! - BAR / 2,
        width: x(value) - frame.left,
        height: BAR,
        fill: colourIn(theme, colour),
      }),
    ),
    ...ruleMarks(
      rules.map(({ value, text, short = text }) => ({ at: x(value), text: isNarrow(box) ? short : text })),
      frame,
      plot,
      theme.ink,
    ),
    ...words,
  ];
}

/** Lines across all rows. A name that would touch the previous one is omitted; the text below the title states it. */
function ruleMarks(
  rules: readonly { at: number; text: string }[],
  { top, bottom }: Pick<Box, 'top' | 'bottom'>,
  { box, theme }: Plot,
  stroke: string,
): string[] {
  let free = box.left;
  return [...rules]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ at, text }) => {
      const half = textWidth(text, TICK_SIZE) / 2;
      const x = Math.min(Math.max(at, box.left + half), box.right - half);
      const line = segment([at, top - 4], [at, bottom], { stroke, 'stroke-dasharray': '3 3' });
      if (x - half < free) return [line];
      free = x + half + 8;
      return [line, label(text, x, top - 12, { fill: theme.muted, size: TICK_SIZE, anchor: 'middle' })];
    });
}

const NUMBERS_HEIGHT = 22;

export function dotsHeight({ rows, key, rule, axis }: Dots, width: number): number {
  const below = axis === 'days' ? AXIS_HEIGHT : NUMBERS_HEIGHT;
  return legendHeight(key, width) + (rule ? RULE_ROOM : 0) + rows.length * ROW + below;
}

const RADIUS = 5;
const THREE_DAYS = 3 * 86_400_000;

export function dots({ rows, key, rule, axis }: Dots, plot: Plot): string[] {
  const { box, theme } = plot;
  const frame = rowsIn(plot, rows, { key: keyIn(key, theme), above: rule ? RULE_ROOM : 0, most: 0.46 });
  const texts = rows.map(({ text }) => clipText(text, widthOf(box) * 0.33, LABEL_SIZE, BOLD));
  const right = box.right - Math.max(...texts.map((text) => textWidth(text, LABEL_SIZE, BOLD))) - 14;
  const edges = { left: frame.left + 6, right };
  const values = [
    ...rows.flatMap(({ ring, full }) => [ring?.at ?? [], full?.at ?? []].flat()),
    ...(rule ? [rule.at] : []),
  ];
  const most = Math.max(1, ...values);
  const [from, to] = [Math.min(...values) - THREE_DAYS, most + THREE_DAYS];
  const days = timeScale(from, to, edges);
  const numbers = scaleLinear([0, most], [edges.left, edges.right]);
  const x = (value: number) => (axis === 'days' ? days(value) : numbers(value));
  const below =
    axis === 'days'
      ? timeAxis(days, { ...box, left: Math.max(box.left, edges.left - 20) }, frame.bottom, theme)
      : levelTicks(numbers, isNarrow(box) ? 2 : 5).flatMap(({ at, text }) => [
          segment([at, frame.top], [at, frame.bottom], { stroke: theme.rule }),
          label(text, at, frame.bottom + 12, {
            fill: theme.muted,
            size: TICK_SIZE,
            anchor: 'middle',
          }),
        ]);
  plot.onScale?.({ kind: 'rows', middles: frame.middles });
  const marks = rows.flatMap(({ ring, full, line, colour }, index) => {
    const y = frame.middles[index]!;
    const colourOf = (one: Colour) => colourIn(theme, one);
    return [
      ...(axis === 'days' ? [segment([edges.left, y], [edges.right, y], { stroke: theme.rule })] : []),
      ...(line && ring && full
        ? [segment([x(ring.at), y], [x(full.at), y], { stroke: colourOf(line), 'stroke-width': 2 })]
        : []),
      ...(ring
        ? [
            element('circle', {
              cx: x(ring.at),
              cy: y,
              r: RADIUS - 0.5,
              fill: theme.paper,
              stroke: colourOf(ring.colour),
              'stroke-width': 2,
            }),
          ]
        : []),
      ...(full ? [element('circle', { cx: x(full.at), cy: y, r: RADIUS, fill: colourOf(full.colour) })] : []),
      label(texts[index]!, box.right, y, { fill: colourOf(colour), anchor: 'end', weight: BOLD }),
    ];
  });
  const lines = rule ? ruleMarks([{ at: x(rule.at), text: rule.text }], frame, plot, theme.muted) : [];
  return [...frame.marks, ...below, ...lines, ...marks];
}

const CELL = 18;

export function cellsHeight({ rows, looks }: Cells, width: number): number {
  return legendHeight(Object.values(looks), width) + rows.length * ROW + AXIS_HEIGHT;
}

export function cells({ rows, looks }: Cells, table: ChartTable, plot: Plot): string[] {
  const { box, theme, onScale } = plot;
  const frame = rowsIn(plot, rows, { key: keyIn(Object.values(looks), theme), above: 0, most: 0.32 });
  const texts = Math.max(...rows.map(({ text }) => textWidth(text, LABEL_SIZE))) + 8;
  const edges = { left: frame.left, right: box.right - texts };
  const spans = table.rows.map(spanOf);
  const [from, to] = [spans[0]!.from, spans.at(-1)!.to];
  const x = timeScale(from, to, edges);
  onScale?.({ kind: 'time', from, to, box: { ...box, ...edges, bottom: frame.bottom } });
  // One path for each status of a row.
  const columnOf = (name: string) => table.columns.findIndex((column) => column.name === name);
  const marks = rows.flatMap(({ label: name, text }, index) => [
    ...Object.entries(looks).flatMap(([status, { colour, share }]) => {
      let d = '';
      for (const [at, span] of spans.entries()) {
        if (table.rows[at]![columnOf(name)] !== status) continue;
        const [left, right] = [x(span.from), x(span.to)];
        const width = right - left > 3 ? right - left - 1 : right - left;
        const bottom = frame.middles[index]! + CELL / 2;
        d += `M${left.toFixed(1)},${bottom.toFixed(1)}h${width.toFixed(1)}v${-CELL * share}h${(-width).toFixed(1)}z`;
      }
      return d === '' ? [] : [element('path', { d, fill: colourIn(theme, colour) })];
    }),
    label(text, box.right, frame.middles[index]!, { fill: theme.ink, anchor: 'end' }),
  ]);
  return [...frame.marks, ...marks, ...timeAxis(x, box, frame.bottom, theme)];
}
