import { formatDay } from '../../words/moment.ts';
import { element } from './element.ts';
import { BOLD, LINE_HEIGHT, label, spreadLabels, TICK_SIZE, textWidth, wrapText } from './label.ts';
import { type Box, isNarrow, widthOf } from './plot.ts';
import type { ChartTheme } from './theme.ts';

/** A day, or days, of the ledger that explain what a picture shows. */
export interface Annotation {
  /** `2026-03-09` */
  day: string;
  /** The last day, if there are several. */
  end?: string;
  /** A few words, for a mark in the picture: `ATLAS offline`. */
  label: string;
}

const ROW = 17;
/** More rows of labels would leave too little for the plot; then numbers stand for them. */
const MOST_ROWS = 3;
const RADIUS = 8;
const LANE = 2 * RADIUS + 5;
const LINE = TICK_SIZE * LINE_HEIGHT;
const BESIDE = 4;

/** Where the labels of annotations are: in rows above the plot, or as numbers there with the words below the picture. */
export interface AnnotationLayout {
  /** Height above the plot, px. */
  above: number;
  /** Height below the dates, px. */
  below: number;
  /** For each annotation its row, 0 nearest to the plot, and the side of the label; null: a number. */
  places: readonly { row: number; side: 'start' | 'end' }[] | null;
}

/** Labels beside their days if all fit in three rows; in a narrow plot, and where they do not, numbers and a list. */
export function layOut(
  annotations: readonly Annotation[],
  at: readonly number[],
  inner: Box,
  box: Box,
): AnnotationLayout {
  if (annotations.length === 0) return { above: 0, below: 0, places: null };
  const places = isNarrow(box) ? null : placesOf(annotations, at, inner);
  if (places) return { above: (Math.max(...places.map(({ row }) => row)) + 1) * ROW + 4, below: 0, places };
  return { above: LANE, below: listHeight(annotations, widthOf(box)), places: null };
}

interface Placed {
  row: number;
  side: 'start' | 'end';
  at: number;
  left: number;
  right: number;
}

/** In as few rows as possible. No label touches another one, or the line from a higher one down to its day. */
function placesOf(annotations: readonly Annotation[], at: readonly number[], inner: Box): Placed[] | null {
  const widths = annotations.map(({ label: text }) => textWidth(text, TICK_SIZE) + BESIDE);
  for (let rows = 1; rows <= MOST_ROWS; rows += 1) {
    const placed = placeFrom([], { at, widths, rows, inner });
    if (placed) return placed;
  }
  return null;
}

interface Placing {
  at: readonly number[];
  widths: readonly number[];
  rows: number;
  inner: Box;
}

/** Places the labels after those that are placed; with five labels there are few ways to try. */
function placeFrom(placed: readonly Placed[], placing: Placing): Placed[] | null {
  const { at, widths, rows, inner } = placing;
  const x = at[placed.length];
  if (x === undefined) return [...placed];
  const width = widths[placed.length]!;
  for (let row = 0; row < rows; row += 1) {
    for (const side of ['start', 'end'] as const) {
      const left = side === 'start' ? x : x - width;
      const one = { row, side, at: x, left, right: left + width };
      const fits = left >= inner.left - 1 && one.right <= inner.right + 1;
      if (!fits || placed.some((other) => collides(one, other))) continue;
      const all = placeFrom([...placed, one], placing);
      if (all) return all;
    }
  }
  return null;
}

function collides(one: Placed, other: Placed): boolean {
  const [upper, lower] = one.row > other.row ? [one, other] : [other, one];
  if (upper.row === lower.row) return one.left - 6 < other.right && other.left - 6 < one.right;
  return upper.at > lower.left - 5 && upper.at < lower.right + 5;
}

/** What annotations add to the height of a plot over time, px. */
export function roomFor(annotations: readonly Annotation[], width: number): number {
  if (annotations.length === 0) return 0;
  return LANE + listHeight(annotations, width);
}

/** Labels or numbers above `inner`, each with a line down to where its day is in the picture. `ends` are heights, px. */
export function annotationMarks(
  annotations: readonly Annotation[],
  { places }: AnnotationLayout,
  {
    at,
    ends,
    inner,
    theme,
  }: { at: readonly number[]; ends: readonly number[]; inner: Box; theme: ChartTheme },
): string[] {
  if (places)
    return annotations.flatMap(({ label: text }, index) => {
      const { row, side } = places[index]!;
      const [x, y] = [at[index]!, inner.top - 4 - (row + 0.5) * ROW];
      const name = label(text, side === 'start' ? x + BESIDE : x - BESIDE, y, {
        fill: theme.ink,
        size: TICK_SIZE,
        anchor: side,
      });
      return [guide(x, x, y - ROW / 2 + 3, ends[index]!, theme), name];
    });
  const y = inner.top - LANE / 2 - 2;
  const spread = spreadLabels(
    at.map((x) => ({ y: x, height: 2 * RADIUS + 1 })),
    inner.left - RADIUS,
    inner.right,
  );
  return annotations.flatMap((_, index) => {
    const x = spread[index] ?? at[index]!;
    return [guide(x, at[index]!, y + RADIUS, ends[index]!, theme), ...numbered(index, x, y, theme)];
  });
}

function guide(x1: number, x2: number, top: number, bottom: number, { muted }: ChartTheme): string {
  if (bottom <= top) return '';
  return element('line', {
    x1,
    x2,
    y1: top,
    y2: bottom,
    stroke: muted,
    'stroke-width': 0.75,
    'stroke-dasharray': '2 2',
  });
}

/** The number of an annotation in a circle. */
export function numbered(index: number, x: number, y: number, { ink, paper }: ChartTheme): string[] {
  return [
    element('circle', { cx: x, cy: y, r: RADIUS, fill: paper, stroke: ink }),
    label(String(index + 1), x, y, { fill: ink, size: 11, anchor: 'middle', weight: BOLD }),
  ];
}

const INDENT = 2 * RADIUS + 8;
/** A column of the list is at least so wide. */
const LEAST_COLUMN = 270;

interface ListPlace {
  lines: string[];
  x: number;
  y: number;
}

/** The words of each annotation, in as many columns as fit, row by row. */
function listOf(annotations: readonly Annotation[], width: number): { places: ListPlace[]; height: number } {
  const columns = Math.max(1, Math.min(3, Math.floor(width / LEAST_COLUMN)));
  const room = width / columns;
  const places: ListPlace[] = [];
  let y = 6;
  for (let first = 0; first < annotations.length; first += columns) {
    const row = annotations.slice(first, first + columns).map(({ day, label: text }, index) => ({
      lines: wrapText(`${formatDay(day)}: ${text}`, room - INDENT - 8, TICK_SIZE, { most: 3 }),
      x: index * room,
      y,
    }));
    places.push(...row);
    y += Math.max(...row.map(({ lines }) => lines.length)) * LINE + 5;
  }
  return { places, height: y };
}

export function listHeight(annotations: readonly Annotation[], width: number): number {
  return annotations.length === 0 ? 0 : listOf(annotations, width).height;
}

/** The words of numbered annotations, from `top` of the box. */
export function annotationList(annotations: readonly Annotation[], box: Box, theme: ChartTheme): string[] {
  const { places } = listOf(annotations, widthOf(box));
  return places.flatMap(({ lines, x, y }, index) => [
    ...numbered(index, box.left + x + RADIUS + 1, box.top + y + LINE / 2, theme),
    ...lines.map((line, at) =>
      label(line, box.left + x + INDENT, box.top + y + (at + 0.5) * LINE, {
        fill: theme.ink,
        size: TICK_SIZE,
      }),
    ),
  ]);
}
