import type { Chart } from '../../../pipeline/charts/chart.ts';
import type { ChartState } from '../../../pipeline/charts/chart-state.ts';

/** Width of the frame, px. */
export const EMBED_WIDTH = 720;
/** A frame on a phone, px. */
const NARROW_WIDTH = 360;
/** Height of everything around the drawing, px: source, table, margins. Narrow frames break words into more lines. */
const AROUND = 120;
const AROUND_NARROW = 205;
/** The most empty space below the chart in a wide frame, px. */
const MOST_EMPTY = 300;

/**
 * Height of a frame whose width is not known, and which keeps it where the page around it runs no script: that of a phone, since empty
 * space is better than a chart that is cut off. A very tall narrow chart scrolls. px
 */
export function frameHeight(chart: Chart, data: unknown, state: ChartState): number {
  const drawn = (width: number) =>
    Number(/ height="(\d+)"/.exec(chart.draw(data, state, { width, theme: 'light' }))![1]);
  const wide = drawn(EMBED_WIDTH) + AROUND;
  return Math.max(wide, Math.min(drawn(NARROW_WIDTH) + AROUND_NARROW, wide + MOST_EMPTY));
}
