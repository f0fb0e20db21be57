import { scaleLinear } from 'd3';
import type { ChartTable } from '../chart-table.ts';
import { spanOf } from '../timed-table.ts';
import { AXIS_HEIGHT, levelTicks, timeAxis, timeScale } from './axes.ts';
import { element, segment } from './element.ts';
import { BOLD, clipText, type KeyItem, LABEL_SIZE, label, legend, TICK_SIZE, textWidth } from './label.ts';
import { type Block, isNarrow, type Room, widthOf } from './plot.ts';
import { type Colour, colourIn } from './theme.ts';

/** A horizontal bar from zero for each row of the table. */
export interface Bars {
  kind: 'bars';
  rows: readonly { label: string; value: number; colour: Colour; text: string; detail?: string }[];
  key?: readonly KeyItem[];
  /** Reference values, named above the rows; `short` is the name in a narrow plot. */
  rules?: readonly { value: number; text: string; short?: string }[];
  /** End of the scale, if it is not the highest value. */
  most?: number;
}

/** Two dots for each row of the table: numbers from zero, with a line between them, or days. The second one is full. */
export interface Dots {
  kind: 'dots';
  axis: 'numbers' | 'days';
  rows: readonly {
    label: string;
    ring: { at: number; colour: Colour } | null;
    full: { at: number; colour: Colour } | null;
    /** At the row's end. */
    text: string;
    colour: Colour;
  }[];
  /** What the texts are: `Status`. */
  texts: string;
  key: readonly KeyItem[];
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

interface Rows {
  names: readonly string[];
  /** The largest share of the width for the names. */
  most: number;
  key: readonly KeyItem[];
  hasRules?: boolean;
  /** Of an axis below the rows. */
  below: number;
  /** What stands beside the names, from `left` on, around `middles`. */
  draw: (frame: RowsFrame) => string[];
}

interface RowsFrame {
  left: number;
  top: number;
  bottom: number;
  middles: readonly number[];
}

/** A key, and names with something beside each. */
function rowsBlock({ names, most, key, hasRules = false, below, draw }: Rows, room: Room): Block {
  const colours = legend(key, room);
  const longest = Math.max(0, ...names.map((name) => textWidth(name, LABEL_SIZE)));
  const left = room.left + Math.min(longest + 9, widthOf(room) * most);
  const above = colours.height + (hasRules ? RULE_ROOM : 0);
  const style = { fill: room.theme.ink, anchor: 'end' } as const;
  return {
    height: above + names.length * ROW + below,
    draw(top) {
      const [first, bottom] = [top + above, top + above + names.length * ROW];
      const middles = names.map((_, index) => first + (index + 0.5) * ROW);
      return [
        ...colours.draw(top),
        ...names.map((name, index) =>
          label(clipText(name, left - room.left - 7, LABEL_SIZE), left - 8, middles[index]!, style),
        ),
        ...draw({ left, top: first, bottom, middles }),
      ];
    },
  };
}

const BAR = 16;
const DETAIL_GAP = 8;

export function bars({ rows, key = [], rules = [], most = 0 }: Bars, room: Room): Block {
  const { theme } = room;
  const end = Math.max(most, ...rows.map(({ value }) => value), ...rules.map(({ value }) => value)) || 1;
  const texts = rows.map(({ text, detail = '' }) => {
    const width = textWidth(text, LABEL_SIZE, BOLD);
    const shown = isNarrow(room) ? '' : detail;
    const after = shown === '' ? 0 : DETAIL_GAP + textWidth(shown, TICK_SIZE);
    return { text, width, detail: shown, room: width + after };
  });
  const draw = ({ left, top, bottom, middles }: RowsFrame) => {
    const right = Math.max(left + 20, room.right - Math.max(0, ...texts.map(({ room }) => room)) - 8);
    const x = scaleLinear([0, end], [left, right]);
    room.onScale?.({ kind: 'rows', middles });
    const names = rules.map(({ value, text, short = text }) => ({
      at: x(value),
      text: isNarrow(room) ? short : text,
    }));
    return [
      ...rows.map(({ value, colour }, index) =>
        element('rect', {
          x: left,
          y: middles[index]! - BAR / 2,
          width: x(value) - left,
          height: BAR,
          fill: colourIn(theme, colour),
        }),
      ),
      ...ruleMarks(names, { top, bottom }, room, theme.ink),
      ...texts.flatMap(({ text, width, detail }, index) => {
        const [at, y] = [x(rows[index]!.value) + 6, middles[index]!];
        const words = clipText(text, room.right - at, LABEL_SIZE, BOLD);
        const muted = { fill: theme.muted, size: TICK_SIZE, ground: theme.paper };
        return [
          label(words, at, y, { fill: theme.ink, weight: BOLD, ground: theme.paper }),
          ...(detail === '' ? [] : [label(detail, at + width + DETAIL_GAP, y, muted)]),
        ];
      }),
    ];
  };
  const names = rows.map(({ label }) => label);
  return rowsBlock({ names, key, hasRules: rules.length > 0, most: 0.42, below: 4, draw }, room);
}

/** Lines across all rows. A name that would touch the previous one is omitted; the text below the title states it. */
function ruleMarks(
  rules: readonly { at: number; text: string }[],
  { top, bottom }: Pick<RowsFrame, 'top' | 'bottom'>,
  { left, right, theme }: Room,
  stroke: string,
): string[] {
  let free = left;
  return [...rules]
    .sort((a, b) => a.at - b.at)
    .flatMap(({ at, text }) => {
      const half = textWidth(text, TICK_SIZE) / 2;
      const x = Math.min(Math.max(at, left + half), right - half);
      const line = segment([at, top - 4], [at, bottom], { stroke, 'stroke-dasharray': '3 3' });
      if (x - half < free) return [line];
      free = x + half + 8;
      return [line, label(text, x, top - 12, { fill: theme.muted, size: TICK_SIZE, anchor: 'middle' })];
    });
}

const NUMBERS_HEIGHT = 22;
const RADIUS = 5;
const THREE_DAYS = 3 * 86_400_000;

export function dots({ rows, key, rule, axis }: Dots, room: Room): Block {
  const { theme } = room;
  const texts = rows.map(({ text }) => clipText(text, widthOf(room) * 0.33, LABEL_SIZE, BOLD));
  const right = room.right - Math.max(...texts.map((text) => textWidth(text, LABEL_SIZE, BOLD))) - 14;
  const places = rows.flatMap(({ ring, full }) => [ring, full].flatMap((dot) => dot?.at ?? []));
  const values = rule ? [...places, rule.at] : places;
  const most = Math.max(1, ...values);
  const draw = ({ left, top, bottom, middles }: RowsFrame) => {
    const edges = { left: left + 6, right };
    const days = timeScale(Math.min(...values) - THREE_DAYS, most + THREE_DAYS, edges);
    const numbers = scaleLinear([0, most], [edges.left, edges.right]);
    const x = (value: number) => (axis === 'days' ? days(value) : numbers(value));
    const muted = { fill: theme.muted, size: TICK_SIZE, anchor: 'middle' } as const;
    room.onScale?.({ kind: 'rows', middles });
    return [
      ...(axis === 'days'
        ? timeAxis(days, { left: Math.max(room.left, left - 14), right: room.right }, bottom, theme)
        : levelTicks(numbers, isNarrow(room) ? 2 : 5).flatMap(({ at, text }) => [
            segment([at, top], [at, bottom], { stroke: theme.rule }),
            label(text, at, bottom + 12, muted),
          ])),
      ...(rule ? ruleMarks([{ at: x(rule.at), text: rule.text }], { top, bottom }, room, theme.muted) : []),
      ...rows.flatMap(({ ring, full, colour }, index) => {
        const cy = middles[index]!;
        const fill = (one: Colour) => colourIn(theme, one);
        const hollow = { r: RADIUS - 0.5, fill: theme.paper, 'stroke-width': 2 };
        return [
          ...(axis === 'days' ? [segment([edges.left, cy], [right, cy], { stroke: theme.rule })] : []),
          ...(axis === 'numbers' && ring && full
            ? [segment([x(ring.at), cy], [x(full.at), cy], { stroke: fill(colour), 'stroke-width': 2 })]
            : []),
          ...(ring ? [element('circle', { ...hollow, cx: x(ring.at), cy, stroke: fill(ring.colour) })] : []),
          ...(full ? [element('circle', { cx: x(full.at), cy, r: RADIUS, fill: fill(full.colour) })] : []),
          label(texts[index]!, room.right, cy, { fill: fill(colour), anchor: 'end', weight: BOLD }),
        ];
      }),
    ];
  };
  const names = rows.map(({ label }) => label);
  const below = axis === 'days' ? AXIS_HEIGHT : NUMBERS_HEIGHT;
  return rowsBlock({ names, key, hasRules: rule !== undefined, most: 0.46, below, draw }, room);
}

const CELL = 18;

export function cells({ rows, looks }: Cells, table: ChartTable, room: Room): Block {
  const { theme, onScale } = room;
  const right = room.right - Math.max(...rows.map(({ text }) => textWidth(text, LABEL_SIZE))) - 8;
  const spans = table.rows.map(spanOf);
  const [from, to] = [spans[0]!.from, spans.at(-1)!.to];
  const draw = ({ left, top, bottom, middles }: RowsFrame) => {
    const x = timeScale(from, to, { left, right });
    onScale?.({ kind: 'time', from, to, box: { left, right, top, bottom } });
    return [
      ...rows.flatMap(({ label: name, text }, index) => {
        const column = table.columns.findIndex((column) => column.name === name);
        // One path for each status.
        const paths = Object.entries(looks).flatMap(([status, { colour, share }]) => {
          const d = spans.flatMap((span, at) => {
            if (table.rows[at]![column] !== status) return [];
            const [start, end] = [x(span.from), x(span.to)];
            const width = end - start > 3 ? end - start - 1 : end - start;
            const low = middles[index]! + CELL / 2;
            return `M${start.toFixed(1)},${low.toFixed(1)}h${width.toFixed(1)}v${-CELL * share}h${(-width).toFixed(1)}z`;
          });
          return d.length === 0 ? [] : [element('path', { d: d.join(''), fill: colourIn(theme, colour) })];
        });
        return [...paths, label(text, room.right, middles[index]!, { fill: theme.ink, anchor: 'end' })];
      }),
      ...timeAxis(x, room, bottom, theme),
    ];
  };
  const names = rows.map(({ label }) => label);
  const key = Object.values(looks);
  return rowsBlock({ names, key, most: 0.32, below: AXIS_HEIGHT, draw }, room);
}
