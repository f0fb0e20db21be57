import type { ScaleBand, ScaleLinear } from 'd3';
import { element, textElement } from './element.ts';
import type { ChartTheme } from './theme.ts';

export interface Span {
  left: number;
  right: number;
}

/** Horizontal rules with their values before them; `ticks` is how many are wished for. */
export function valueAxis(
  scale: ScaleLinear<number, number>,
  { left, right }: Span,
  theme: ChartTheme,
  { ticks, format = scale.tickFormat(ticks) }: { ticks: number; format?: (value: number) => string },
): string[] {
  return scale
    .ticks(ticks)
    .flatMap((value) => [
      element('line', { x1: left, x2: right, y1: scale(value), y2: scale(value), stroke: theme.rule }),
      textElement(
        'text',
        { x: left - 8, y: scale(value) + 4, 'text-anchor': 'end', fill: theme.muted },
        format(value),
      ),
    ]);
}

/** `2026-01` → `Jan` below its column. */
export function monthAxis(scale: ScaleBand<string>, y: number, theme: ChartTheme): string[] {
  return scale
    .domain()
    .map((month) =>
      textElement(
        'text',
        { x: middle(scale, month), y, 'text-anchor': 'middle', fill: theme.muted },
        monthName(month),
      ),
    );
}

/** The x of a month's middle. */
export function middle(scale: ScaleBand<string>, month: string): number {
  return scale(month)! + scale.bandwidth() / 2;
}

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function monthName(month: string): string {
  return NAMES[Number(month.slice(5)) - 1] ?? month;
}
