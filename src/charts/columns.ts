import { addDays, type Bin, timeOfDay } from './days.ts';
import { element } from './element.ts';
import type { TimeFrame } from './time-frame.ts';

/** Between two columns, where they are wide enough for it. */
const GAP = 1;

/**
 * Columns over time, one above the other: `values[i][j]` of bin i and series j. A path for each series, since a
 * rectangle for each value would be ten times the text.
 */
export function stackedColumns(
  bins: readonly Bin<unknown>[],
  values: readonly (readonly number[])[],
  { x, y }: Pick<TimeFrame, 'x' | 'y'>,
  colours: readonly string[],
): string[] {
  const paths = colours.map(() => '');
  for (const [index, { from, to }] of bins.entries()) {
    const [left, right] = [x(timeOfDay(from)), x(timeOfDay(addDays(to, 1)))];
    const width = right - left > 3 * GAP ? right - left - GAP : right - left;
    let base = 0;
    for (const [series, value] of values[index]!.entries()) {
      const [bottom, top] = [y(base), y(base + value)];
      base += value;
      if (value > 0)
        paths[series] += `M${short(left)},${short(bottom)}h${short(width)}V${short(top)}h${short(-width)}z`;
    }
  }
  return paths.flatMap((d, index) => (d === '' ? [] : [element('path', { d, fill: colours[index]! })]));
}

function short(value: number): number {
  return Math.round(value * 10) / 10;
}
