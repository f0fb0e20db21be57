/** What every page of an archive needs of each record. The texts are read for the pages that show them. */
export interface Entry {
  id: string;
  /** The path of its page. Records with the same id share a page. */
  href: string;
  topic: string;
  /** The day by which it is dated; null while it is open. */
  date: string | null;
  /** Its place in the archive. */
  index: number;
}

/** The records of one kind, in the order in which they were added. */
export interface Archive<T extends Entry> {
  entries: readonly T[];
  /** By the path of their page. */
  pages: ReadonlyMap<string, readonly T[]>;
  questions: ReadonlyMap<string, readonly T[]>;
  /** By year, the oldest first, without open ones. */
  years: ReadonlyMap<string, readonly T[]>;
  /** The page of each id, and the first day that a record has. */
  ids: ReadonlyMap<string, { href: string; date: string }>;
}

export function archiveOf<T extends Entry>(entries: readonly T[]): Archive<T> {
  const dated = entries.filter((one): one is T & { date: string } => one.date !== null);
  const ids = new Map<string, { href: string; date: string }>();
  for (const { id, href, date } of dated) if (!ids.has(id)) ids.set(id, { href, date });
  return {
    entries,
    pages: Map.groupBy(entries, ({ href }) => href),
    questions: Map.groupBy(entries, ({ topic }) => questionOf(topic)),
    years: Map.groupBy(dated, ({ date }) => date.slice(0, 4)),
    ids,
  };
}

/** The records of a page, and those before and after it. */
export interface Records<T> {
  /** The newest. */
  one: T;
  /** Newest first; corrected or reopened later. */
  previous: readonly T[];
  later: T | null;
  earlier: T | null;
}

/** Null if there is no such page. */
export function recordsAt<T extends Entry>({ entries, pages }: Archive<T>, href: string): Records<T> | null {
  const [one, ...previous] = pages.get(href)?.toReversed() ?? [];
  if (!one) return null;
  let { index } = one;
  while (entries[index]?.href === href) index -= 1;
  return { one, previous, later: entries[one.index + 1] ?? null, earlier: entries[index] ?? null };
}

/** The prefix of a topic that reviews an earlier deliberation. */
const REVIEW = /^Review of [^:]{1,200}: (?=\S)/;

/** The question of a topic, the same for its reviews: `Review of D-7: whether …` and `Whether …` are equal. */
export function questionOf(topic: string): string {
  return topic.replace(REVIEW, '').toLowerCase();
}

/** Titles are cut to this many characters, because a text in the ledger can be pages long. */
const MOST = 110;

/** The text, cut at a word with an ellipsis if it is too long for a title. */
export function shortText(text: string): string {
  if (text.length <= MOST) return text;
  const cut = text.slice(0, MOST);
  const end = cut.lastIndexOf(' ');
  return `${end > MOST / 2 ? cut.slice(0, end) : cut.replace(/[\uD800-\uDBFF]$/, '')} …`;
}

/** `2026` → `in-2026`: the page name of a year's list, distinct from the ids that name the other pages. */
export function yearName(year: string): string {
  return `in-${year}`;
}

/** Links to the lists by year below a folder, the latest first. `years` has the number of items of each, the oldest first. */
export function yearLinks(folder: string, years: Iterable<readonly [string, number]>) {
  return [...years].reverse().map(([year, count]) => ({ year, href: `${folder}${yearName(year)}/`, count }));
}
