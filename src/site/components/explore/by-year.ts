import { yearName } from './decisions.ts';

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
