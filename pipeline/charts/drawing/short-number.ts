import { format } from 'd3';
import { formatNumber } from '../../words/number.ts';

/** Three significant digits: `8392466` → `8.39 M`, `950` → `950`, `0.034` → `0.034`. For axes and labels. */
export function shortNumber(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-4) return format('.2~e')(value);
  return format(size < 1000 ? '.3~r' : '.3~s')(value)
    .replace('G', 'B')
    .replace(/([kMBT])$/, ' $1');
}

/** For labels, which have little room: the number in full where it has few digits, else the short one. */
export function labelNumber(value: number, decimals = 0): string {
  return Math.abs(value) < 1e6 ? formatNumber(value, decimals) : shortNumber(value);
}
