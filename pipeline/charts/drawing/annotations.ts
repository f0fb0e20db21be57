import { formatDay } from '../../words/moment.ts';
import { element, segment } from './element.ts';
import { BOLD, LINE_HEIGHT, label, spread, TICK_SIZE, wrapText } from './label.ts';
import { type Box, widthOf } from './plot.ts';
import type { ChartTheme } from './theme.ts';

/** A day, or days, of the ledger that explain what a picture shows. */
export interface Annotation {
  /** `2026-03-09` */
  day: string;
  /** The last day, if there are several. */
  end?: string;
  /** A few words: `ATLAS offline`. */
  label: string;
  /** In a picture with a panel for each series: the name of the series that it explains. */
  of?: string;
}

const RADIUS = 8;
/** The row of numbers above a plot, px. */
export const LANE = 2 * RADIUS + 5;
const LINE = TICK_SIZE * LINE_HEIGHT;
const INDENT = 2 * RADIUS + 8;
/** A column of the list is at least so wide. */
const LEAST_COLUMN = 270;

/** Numbers above `inner`, each with a line down through the plot at its day. `at` are their places, px. */
export function annotationMarks(
  numbers: readonly { number: number; at: number }[],
  inner: Box,
  theme: ChartTheme,
): string[] {
  const y = inner.top - LANE / 2 - 2;
  const middles = numbers.map(({ at }) => at);
  const places = spread(middles, 2 * RADIUS + 1, [inner.left - RADIUS, inner.right]);
  return numbers.flatMap(({ number, at }, index) => {
    const x = places[index]!;
    const style = { stroke: theme.muted, 'stroke-width': 0.75, 'stroke-dasharray': '2 2' };
    return [segment([x, y + RADIUS], [at, inner.bottom], style), ...numbered(number, x, y, theme)];
  });
}

function numbered(number: number, x: number, y: number, { ink, paper }: ChartTheme): string[] {
  return [
    element('circle', { cx: x, cy: y, r: RADIUS, fill: paper, stroke: ink }),
    label(String(number), x, y, { fill: ink, size: 11, anchor: 'middle', weight: BOLD }),
  ];
}

/** The words of each annotation, in as many columns as fit, row by row. */
function listOf(annotations: readonly Annotation[], width: number) {
  const columns = Math.max(1, Math.min(3, Math.floor(width / LEAST_COLUMN)));
  const room = width / columns;
  const places: { lines: string[]; x: number; y: number }[] = [];
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
  return listOf(annotations, widthOf(box)).places.flatMap(({ lines, x, y }, index) => [
    ...numbered(index + 1, box.left + x + RADIUS + 1, box.top + y + LINE / 2, theme),
    ...lines.map((line, at) =>
      label(line, box.left + x + INDENT, box.top + y + (at + 0.5) * LINE, {
        fill: theme.ink,
        size: TICK_SIZE,
      }),
    ),
  ]);
}
