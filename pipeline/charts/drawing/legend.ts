import { element } from './element.ts';
import { LABEL_SIZE, label } from './label.ts';
import type { Box } from './plot.ts';
import { clipText, textWidth } from './text-width.ts';
import type { ChartTheme } from './theme.ts';

export interface LegendItem {
  text: string;
  colour: string;
  /** How the marks look that it names; a square unless said otherwise. */
  shape?: 'square' | 'circle' | 'ring' | 'dashes';
}

const LINE = 19;
const SWATCH = 10;
const GAP = 14;

export interface Legend {
  height: number;
  marks: string[];
}

/** Height of the legend at a width. */
export function legendHeight(items: readonly LegendItem[], width: number): number {
  return legend(items, { left: 0, right: width, top: 0, bottom: 0 }, { ink: '' }).height;
}

/** Names with their colours in lines, from the box's upper left corner on: for plots too narrow for names beside them. */
export function legend(
  items: readonly LegendItem[],
  { left, right, top }: Box,
  { ink }: Pick<ChartTheme, 'ink'>,
): Legend {
  const marks: string[] = [];
  let [x, line] = [left, 0];
  for (const { text, colour, shape = 'square' } of items) {
    const words = clipText(text, right - left - SWATCH - 5, LABEL_SIZE);
    const width = SWATCH + 5 + textWidth(words, LABEL_SIZE);
    if (x > left && x + width > right) [x, line] = [left, line + 1];
    const y = top + (line + 0.5) * LINE;
    marks.push(swatch(shape, x, y, colour), label(words, x + SWATCH + 5, y, { fill: ink }));
    x += width + GAP;
  }
  return { height: items.length === 0 ? 0 : (line + 1) * LINE + 6, marks };
}

function swatch(shape: NonNullable<LegendItem['shape']>, x: number, y: number, colour: string): string {
  const middle = { cx: x + SWATCH / 2, cy: y };
  if (shape === 'circle') return element('circle', { ...middle, r: SWATCH / 2, fill: colour });
  if (shape === 'ring') {
    return element('circle', {
      ...middle,
      r: SWATCH / 2 - 1,
      fill: 'none',
      stroke: colour,
      'stroke-width': 2,
    });
  }
  if (shape === 'dashes') {
    const ends = { x1: x, x2: x + SWATCH, y1: y, y2: y };
    return element('line', { ...ends, stroke: colour, 'stroke-width': 2, 'stroke-dasharray': '4 2' });
  }
  return element('rect', { x, y: y - SWATCH / 2, width: SWATCH, height: SWATCH, rx: 2, fill: colour });
}
