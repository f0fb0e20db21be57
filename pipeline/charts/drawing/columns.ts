import { addDays, type Bin, isWhole, type Step, timeOfDay } from './days.ts';
import { element } from './element.ts';
import { hatched, type Rect } from './hatch.ts';
import type { TimeFrame } from './time-frame.ts';

/** Between two columns, where they are wide enough for it. */
const GAP = 1;

/**
 * Columns over time, one above the other: `values[i][j]` of bin i and series j. A path for each series, since a
 * rectangle for each value would be ten times the text. Columns of bins that are not whole are hatched.
 */
export function stackedColumns(
  {
    bins,
    values,
    step,
  }: { bins: readonly Bin<unknown>[]; values: readonly (readonly number[])[]; step: Step },
  { x, y }: Pick<TimeFrame, 'x' | 'y'>,
  colours: readonly string[],
): string[] {
  const paths = colours.map(() => '');
  const partial: Rect[][] = colours.map(() => []);
  for (const [index, bin] of bins.entries()) {
    const [left, end] = [x(timeOfDay(bin.from)), x(timeOfDay(addDays(bin.to, 1)))];
    const right = end - left > 3 * GAP ? end - GAP : end;
    const whole = isWhole(bin, step);
    let base = 0;
    for (const [series, value] of values[index]!.entries()) {
      const [bottom, top] = [y(base), y(base + value)];
      base += value;
      if (value <= 0) continue;
      if (whole)
        paths[series] +=
          `M${short(left)},${short(bottom)}h${short(right - left)}V${short(top)}h${short(left - right)}z`;
      else partial[series]!.push({ left, right, top, bottom });
    }
  }
  return colours.flatMap((fill, index) => [
    ...(paths[index] === '' ? [] : [element('path', { d: paths[index]!, fill })]),
    ...hatched(partial[index]!, fill),
  ]);
}

function short(value: number): number {
  return Math.round(value * 10) / 10;
}
