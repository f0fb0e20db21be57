import { yearName } from './decisions.ts';

/** Titles are cut to this many characters, because a text in the ledger can be pages long. */
const MOST = 110;

/** The text, cut at a word with an ellipsis if it is too long for a title. */
export function shortText(text: string): string {
  if (text.length <= MOST) return text;
  const cut = text.slice(0, MOST);
  const end = cut.lastIndexOf(' ');
  return `${end > MOST / 2 ? cut.slice(0, end) : cut.replace(/[\uD800-\uDBFF]$/, '')} …`;
}

export interface YearList<T> {
  year: string;
  /** The last segment of its page's path. */
  name: string;
  items: readonly T[];
}

/** Splits dated items, newest first, into one list per year, latest year first. */
export function byYear<T extends { date: string }>(items: readonly T[]): YearList<T>[] {
  const years = Map.groupBy(items, ({ date }) => date.slice(0, 4));
  return [...years].map(([year, items]) => ({ year, name: yearName(year), items }));
}

/** Links to the lists, below a folder. */
export function yearLinks(folder: string, years: readonly YearList<unknown>[]) {
  return years.map(({ year, name, items }) => ({ year, href: `${folder}${name}/`, count: items.length }));
}

/** The records of a page: the newest one at its address, earlier ones with the same id, and the neighbouring pages'. */
interface Records<T> {
  one: T | null;
  /** Newest first; corrected or reopened later. */
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
