import { element, linePath } from './element.ts';

const [WIDTH, HEIGHT] = [120, 30];
/** Room for the mark of the last value. */
const MARGIN = 3;

/**
 * The course of a measure as a line without axes, in the colour of its text, between the least and the greatest value. Null is a gap.
 * For the eye alone: the words beside it state the value and its change. Empty if no two values are there to connect.
 */
export function sparkline(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return '';
  const [least, greatest] = [Math.min(...known), Math.max(...known)];
  // A measure that did not change runs along the middle.
  const share = (value: number) => (greatest === least ? 0.5 : (value - least) / (greatest - least));
  const points = values.map((value, index) => ({
    x: MARGIN + (index / (values.length - 1)) * (WIDTH - 2 * MARGIN),
    y: value === null ? null : HEIGHT - MARGIN - share(value) * (HEIGHT - 2 * MARGIN),
  }));
  const last = points.findLast(({ y }) => y !== null)!;
  return element(
    'svg',
    {
      class: 'sparkline',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      'aria-hidden': 'true',
    },
    linePath(points, { stroke: 'currentColor', width: 1.5 }),
    element('circle', { cx: last.x, cy: last.y, r: 2.5, fill: 'currentColor' }),
  );
}
