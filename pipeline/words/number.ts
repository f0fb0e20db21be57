/** How many decimals are shown; the file has them all. */
export interface Decimals {
  /** At least. */
  min?: number;
  /** At most. */
  max: number;
}

const LOCALE = 'en-GB';

/** `3412009.25` → `3,412,009`; with {min: 2, max: 2} `3,412,009.25`. Minus is U+2212. */
export function formatNumber(value: number, { min = 0, max }: Decimals = { max: 0 }): string {
  const options = { minimumFractionDigits: min, maximumFractionDigits: max };
  return withMinus(new Intl.NumberFormat(LOCALE, options).format(value));
}

/** A share from 0 to 1 as it is published, with three decimals: `0.947`. Null is a dash. */
export function formatShare(value: number | null): string {
  return value === null ? '–' : formatNumber(value, { min: 3, max: 3 });
}

/** `1` + `mint` → `1 mint`; `3` → `3 mints`; `0` → `no mints`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  if (count === 0) return `no ${many}`;
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** `3,412,009 MIC`, to whole MIC. */
export function formatMic(amount: number): string {
  return `${formatNumber(amount)} MIC`;
}

function withMinus(text: string): string {
  return text.replace('-', '−');
}
