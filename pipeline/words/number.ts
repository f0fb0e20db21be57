/** How many decimals to show; the file has them all. */
export interface Decimals {
  /** At least. Default 0. */
  min?: number;
  /** At most. */
  max: number;
}

/**
 * `3412009.25` → `3,412,009`; with 2 decimals `3,412,009.25`; with {max: 2} as many of them as the number has. Minus is
 * U+2212, and a number that rounds to zero has none.
 */
export function formatNumber(value: number, decimals: number | Decimals = 0): string {
  const { min = 0, max } = typeof decimals === 'number' ? { min: decimals, max: decimals } : decimals;
  return formatterOf(min, max).format(value).replace('-', '−');
}

/** Kept, because making one takes ten times as long as formatting with it. */
const FORMATTERS = new Map<string, Intl.NumberFormat>();

function formatterOf(min: number, max: number): Intl.NumberFormat {
  const key = `${min} ${max}`;
  const known = FORMATTERS.get(key);
  if (known) return known;
  const digits = { minimumFractionDigits: min, maximumFractionDigits: max };
  const made = new Intl.NumberFormat('en-GB', { ...digits, signDisplay: 'negative' });
  FORMATTERS.set(key, made);
  return made;
}

/** With its sign: `+0.05`, `−0.05`, `0.00`. */
export function formatChange(value: number, decimals = 2): string {
  const text = formatNumber(value, decimals);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** `0.9538` → `95.4 %`, with a space that ends no line. */
export function formatPercent(share: number, decimals = 1): string {
  return `${formatNumber(share * 100, decimals)}\u00a0%`;
}

/** Stands for a figure that the ledger has no events for. */
export const NOT_MEASURED = 'not measured';
/** The same in the cell of a table. */
export const NO_VALUE = '–';

/** The integrity index or its threshold, to the four decimals that the files have: `0.9661`. */
export function formatIndex(value: number | null, missing = NOT_MEASURED): string {
  return value === null ? missing : formatNumber(value, 4);
}

/** A score or a rate from 0 to 1, to the three decimals that the files have: `0.846`. */
export function formatScore(value: number | null, missing = NOT_MEASURED): string {
  return value === null ? missing : formatNumber(value, 3);
}

/** `1` + `mint` → `1 mint`, `3` → `3 mints`, `0` → `no mints`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  if (count === 0) return `no ${many}`;
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** `1 event`, `0 events`, `20000 events`: in messages, with digits as programs write them. */
export function counted(count: number | bigint, one: string, many = `${one}s`): string {
  return `${count} ${count.toString() === '1' ? one : many}`;
}

/** `3 of the 5 virtues are`, `All 5 virtues are`, `None of the 5 virtues is`: how many of more than one, with the verb. */
export function formatSome(
  count: number,
  all: number,
  things: string,
  [one, many]: readonly [string, string],
): string {
  const some = count === all ? 'All' : `${count === 0 ? 'None' : formatNumber(count)} of the`;
  return `${some} ${formatNumber(all)} ${things} ${count < 2 ? one : many}`;
}

/** `3,412,009 MIC`, to whole MIC. */
export function formatMic(amount: number): string {
  return `${formatNumber(amount)} MIC`;
}

const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** `482` → `482 bytes`, `20480` → `20.5 kB`: powers of 1000, three significant digits, no line break before the unit. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < BYTE_UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 ? value : value.toPrecision(3)}\u00a0${BYTE_UNITS[unit]}`;
}
