import { format } from 'd3';

const LOCALE = 'en-GB';
const DAY = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});
const LIST = new Intl.ListFormat(LOCALE, { type: 'conjunction' });

/** `2026-09-30` or a timestamp → `30 September 2026`, in UTC. */
export function dayWords(time: string): string {
  return DAY.format(new Date(time));
}

/** `2026-09-30` → `September 2026`. */
export function monthWords(day: string): string {
  return dayWords(day).replace(/^\d+ /, '');
}

/** `2026-09-30T18:00:12Z` → `30 September 2026, 18:00 UTC`. */
export function momentWords(time: string): string {
  return `${dayWords(time)}, ${new Date(time).toISOString().slice(11, 16)} UTC`;
}

/** `8392466.2` → `8,392,466`; with two places `8,392,466.20`. Minus is U+2212. */
export function numberWords(value: number, places = 0): string {
  const options = { minimumFractionDigits: places, maximumFractionDigits: places };
  const text = new Intl.NumberFormat(LOCALE, options).format(value);
  // Not −0: a change that rounds to nothing has no direction.
  return /[1-9]/.test(text) ? text.replace('-', '−') : text.replace('-', '');
}

/** `0.9538` → `95.4 %`. */
export function shareWords(share: number, places = 1): string {
  return `${numberWords(share * 100, places)} %`;
}

/** Where the ledger holds nothing that a figure could be made of. */
export const NOT_MEASURED = 'not measured';

/** The integrity index or its threshold, as the files have it, to four places: `0.9661`. */
export function indexWords(value: number | null): string {
  return value === null ? NOT_MEASURED : numberWords(value, 4);
}

/** A score or a rate from 0 to 1, as the files have it, to three places: `0.846`. */
export function scoreWords(value: number | null): string {
  return value === null ? NOT_MEASURED : numberWords(value, 3);
}

/** With its sign: `+0.05`, `−0.05`, `0.00`. */
export function changeWords(value: number, places = 2): string {
  const words = numberWords(value, places);
  return value > 0 && /[1-9]/.test(words) ? `+${words}` : words;
}

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
export function labelNumber(value: number, places = 0): string {
  return Math.abs(value) < 1e6 ? numberWords(value, places) : shortNumber(value);
}

/** `1` + `mint` → `1 mint`, `3` → `3 mints`. */
export function countWords(count: number, one: string, many = `${one}s`): string {
  return `${numberWords(count)} ${count === 1 ? one : many}`;
}

/** `['a', 'b', 'c']` → `a, b and c`. */
export function listWords(items: readonly string[]): string {
  return LIST.format(items);
}

/** `support_with_conditions` → `support with conditions`, `mic_mint` → `MIC mint`. */
export function tokenWords(token: string): string {
  return token.replaceAll('_', ' ').replace(/\b(mic|mii|gi)\b/g, (name) => name.toUpperCase());
}

/** `reached` → `Reached`. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `FOR-GOVERNMENTS` → `Governments`, `DIPLOMACY` → `Diplomacy`; another name stays as it is. */
export function cathedralWords(name: string): string {
  const [, own = name] = /^FOR-([A-Z]+)$/.exec(name) ?? [];
  return own.charAt(0) + (/^[A-Z]+$/.test(own) ? own.slice(1).toLowerCase() : own.slice(1));
}
