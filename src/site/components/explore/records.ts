import { yearName } from './decisions.ts';

/** A text of the ledger may be pages long; a title has room for this many characters. */
const MOST = 110;

/** As it is, or cut after a word, with an ellipsis. */
export function shortText(text: string): string {
  if (text.length <= MOST) return text;
  const cut = text.slice(0, MOST);
  const end = cut.lastIndexOf(' ');
  return `${end > MOST / 2 ? cut.slice(0, end) : cut.replace(/[\uD800-\uDBFF]$/, '')} …`;
}

export interface YearList<T> {
  year: string;
  /** The last part of its page's address. */
  name: string;
  items: readonly T[];
}

/** Dated things, newest first, in a list for each year, the last year first. */
export function byYear<T extends { date: string }>(items: readonly T[]): YearList<T>[] {
  const years = Map.groupBy(items, ({ date }) => date.slice(0, 4));
  return [...years].map(([year, items]) => ({ year, name: yearName(year), items }));
}

/** Links to those lists, below a folder. */
export function yearLinks(folder: string, years: readonly YearList<unknown>[]) {
  return years.map(({ year, name, items }) => ({ year, href: `${folder}${name}/`, count: items.length }));
}

/** What a page is of: the newest record at its address, those before it under the same id, and its neighbours. */
interface Records<T> {
  one: T | null;
  /** Newest first: what a later record has corrected, or what was opened again. */
  previous: readonly T[];
  later: T | null;
  earlier: T | null;
}

/** `all` is newest first. */
export function recordsAt<T extends { href: string }>(all: readonly T[], href: string): Records<T> {
  const [one = null, ...previous] = all.filter((record) => record.href === href);
  const at = one ? all.indexOf(one) : 0;
  const isOther = (record: T) => record.href !== href;
  const later = all.slice(0, at).findLast(isOther) ?? null;
  return { one, previous, later, earlier: all.slice(at).find(isOther) ?? null };
}
