import type { KnownType } from '../../../pipeline/ledger/events/event.ts';
import { capitalise } from '../../../pipeline/words/phrase.ts';
import type { SiteRelease } from '../layout/release.ts';
import type { RecordView, Row } from './record.ts';
import type { RowEvents } from './row-events.ts';

/** What every record has, beside what its file says of it. */
export interface Entry {
  id: string;
  /** The path of its page. Records with the same id share a page. */
  href: string;
  topic: string;
  /** The day by which it is dated; null while it is open. */
  date: string | null;
  /** Its place in the archive. */
  index: number;
  /** In the log. Null for a release without other formats, and until a deliberation is in its archive. */
  events: RowEvents | null;
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

/** What stands around the text of a record, apart from its description, notes and facts. */
export function archiveView(
  { title: list, folder, term }: Pick<ArchiveKind, 'title' | 'folder' | 'term'>,
  { one, earlier, later }: Records<Entry>,
) {
  const { href, id, topic, date, events } = one;
  const link = (label: string, one: Entry | null) =>
    one && { href: one.href, title: `${label}: ${shortText(one.topic)}` };
  return {
    href,
    area: 'philosophy',
    title: shortText(topic),
    heading: topic,
    label: { term, words: id },
    cited:
      date === null
        ? null
        : {
            kind: term,
            href,
            title: `${capitalise(term)} ${id}: ${topic}`,
            date,
            events: events && [events.opened_event ?? events.event, events.event],
          },
    above: { href: `/${folder}/`, label: list },
    earlier: link('Previous', earlier),
    later: link('Next', later),
  } satisfies Partial<RecordView>;
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

/** The page of a year’s list; its name is distinct from the ids that name the other pages. */
export function yearPage(folder: string, year: string): string {
  return `/${folder}/in-${year}/`;
}

/** `in-2026` → `2026`; null for any other name of a page. */
export function yearOf(name: string): string | null {
  return /^in-(\d{4})$/.exec(name)?.[1] ?? null;
}

/** Records that stay for good: one page for each, a list for each year, and one of the newest. */
export interface ArchiveKind<E extends Entry = Entry> {
  folder: 'decisions' | 'deliberations';
  /** Of one of them, in the glossary. */
  term: 'decision' | 'deliberation';
  title: string;
  /** Of the list. */
  description: string;
  /** A year’s list: `Decisions in` 2025. */
  yearly: string;
  /** `Every decision recorded in` 2025. */
  yearlyDescription: string;
  /** What the list says while the ledger has none, and the events that bring them. */
  nothing: string;
  types: readonly KnownType[];
  records(release: SiteRelease): Archive<E>;
  rows(entries: readonly E[]): Row[];
  /** What all of them are together. */
  lead(entries: readonly E[]): string;
}
