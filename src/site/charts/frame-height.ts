import type { Shown } from '../../../pipeline/charts/chart.ts';

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
export function frameHeight({ height }: Pick<Shown, 'height'>): number {
  const wide = height({ width: EMBED_WIDTH, theme: 'light' }) + AROUND;
  const narrow = height({ width: NARROW_WIDTH, theme: 'light' }) + AROUND_NARROW;
  return Math.max(wide, Math.min(narrow, wide + MOST_EMPTY));
}
