import { element, tenth } from './element.ts';
import type { Box } from './plot.ts';

/** The distance between two hatching lines, px. */
const EVERY = 5;

/**
 * Pale, hatched rectangles for incomplete periods, which do not compare with complete ones. Drawn as lines, because an SVG
 * pattern needs an id, and one page holds several pictures.
 */
export function hatched(rects: readonly Box[], colour: string): string[] {
  const drawn = rects.filter(({ top, bottom }) => bottom - top > 0.05);
  if (drawn.length === 0) return [];
  const outline = drawn.map(
    ({ left, right, top, bottom }) =>
      `M${tenth(left)},${tenth(bottom)}H${tenth(right)}V${tenth(top)}H${tenth(left)}z`,
  );
  return [
    element('path', {
      d: outline.join(''),
      fill: colour,
      'fill-opacity': 0.25,
      stroke: colour,
      'stroke-width': 0.75,
    }),
    element('path', { d: drawn.map(lines).join(''), fill: 'none', stroke: colour, 'stroke-width': 1.25 }),
  ];
}

/** Rising at 45°, on one grid for all rectangles, so that stacked parts of a bar line up. */
function lines({ left, right, top, bottom }: Box): string {
  let d = '';
  for (let sum = Math.ceil((left + top) / EVERY) * EVERY; sum < right + bottom; sum += EVERY) {
    const [x1, x2] = [Math.max(left, sum - bottom), Math.min(right, sum - top)];
    if (x2 - x1 > 0.05) d += `M${tenth(x1)},${tenth(sum - x1)}L${tenth(x2)},${tenth(sum - x2)}`;
  }
  return d;
}
