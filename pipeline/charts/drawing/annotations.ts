import { formatDay } from '../../words/moment.ts';
import { element, segment } from './element.ts';
import { BOLD, LINE_HEIGHT, label, paragraph, spread, TICK_SIZE } from './label.ts';
import { type Block, type Box, type Room, widthOf } from './plot.ts';
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

/** The words of numbered annotations, in as many columns as fit, row by row; nothing without any. */
export function annotationList(annotations: readonly Annotation[], room: Room): Block {
  const columns = Math.max(1, Math.min(3, Math.floor(widthOf(room) / LEAST_COLUMN)));
  const width = widthOf(room) / columns;
  const style = { fill: room.theme.ink, size: TICK_SIZE };
  let height = annotations.length === 0 ? 0 : 6;
  const placed: { left: number; y: number; words: Block }[] = [];
  for (let first = 0; first < annotations.length; first += columns) {
    const row = annotations.slice(first, first + columns).map(({ day, label: text }, index) => {
      const left = room.left + index * width;
      const edges = { left: left + INDENT, right: left + width - 8 };
      return { left, y: height, words: paragraph(`${formatDay(day)}: ${text}`, edges, 3, style) };
    });
    placed.push(...row);
    height += Math.max(...row.map(({ words }) => words.height)) + 5;
  }
  return {
    height,
    draw: (top) =>
      placed.flatMap(({ left, y, words }, index) => [
        ...numbered(index + 1, left + RADIUS + 1, top + y + (TICK_SIZE * LINE_HEIGHT) / 2, room.theme),
        ...words.draw(top + y),
      ]),
  };
}
