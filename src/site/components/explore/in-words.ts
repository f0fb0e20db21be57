import { formatNumber } from '../../../../pipeline/words/number.ts';

const SMALL = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** `4` → `four`; above ten in figures. */
export function inWords(count: number): string {
  return SMALL[count] ?? formatNumber(count);
}
