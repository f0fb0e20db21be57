import type { HistoryArtifact } from '../../../pipeline/artifacts/artifact.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { KnownType } from '../../../pipeline/ledger/events/event.ts';
import { capitalise, shortText } from '../../../pipeline/words/phrase.ts';
import type { SiteRelease } from '../layout/release.ts';
import type { RecordView, Row } from './record.ts';

/** The events that a row follows from, by their index in the log. */
interface RowEvents {
  /** The event that the row states; the close of a deliberation. */
  event: number;
  opened_event?: number;
  /** In the order of the positions. */
  position_events?: readonly number[];
}

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
  return {
    entries,
    pages: Map.groupBy(entries, ({ href }) => href),
    questions: Map.groupBy(entries, ({ topic }) => questionOf(topic)),
    years: Map.groupBy(dated, ({ date }) => date.slice(0, 4)),
    // Of an id that occurs again, the first record is the last to be set.
    ids: new Map(dated.toReversed().map(({ id, href, date }) => [id, { href, date }])),
  };
}

/** Records that stay for good: one page for each, a list for each year, and one of the newest. */
export interface ArchiveKind<E extends Entry = Entry> {
  folder: 'decisions' | 'deliberations';
  /** Of one of them, in the glossary. */
  term: 'decision' | 'deliberation';
  title: string;
  /** The title of a year’s list: `Deliberations closed in` 2025. */
  yearly: string;
  /** What dates one. */
  dated: 'recorded' | 'closed';
  /** The events that bring the first one. */
  types: readonly KnownType[];
  records(release: SiteRelease): Archive<E>;
  rows(entries: readonly E[]): Row[];
  /** What all of them are together: the description of the list. */
  lead(entries: readonly E[]): string;
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
  const earlier = entries.slice(0, one.index).findLast((other) => other.href !== href);
  return { one, previous, later: entries[one.index + 1] ?? null, earlier: earlier ?? null };
}

/** What stands around the text of a record, apart from its description, notes and facts. */
export function archiveView(
  { title: list, folder, term }: Pick<ArchiveKind, 'title' | 'folder' | 'term'>,
  { one, earlier, later }: Records<Entry>,
) {
  const { href, id, topic, date, events } = one;
  const link = (label: string, one: Entry | null) =>
    one && { href: one.href, title: `${label}: ${shortText(one.topic)}` };
  const title = `${capitalise(term)} ${id}: ${topic}`;
  const from = events && ([events.opened_event ?? events.event, events.event] as const);
  return {
    href,
    area: 'philosophy',
    // A decision has the topic of its deliberation, and a topic may return.
    title: `${shortText(topic)}, ${term} ${id}`,
    heading: topic,
    label: { term, words: id },
    cited: date === null ? null : { kind: term, href, title, date, events: from },
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

/** The page of a year’s list; its name is distinct from the ids that name the other pages. */
export function yearPage(folder: string, year: string): string {
  return `/${folder}/in-${year}/`;
}

/** `in-2026` → `2026`; null for any other name of a page. */
export function yearOf(name: string): string | null {
  return /^in-(\d{4})$/.exec(name)?.[1] ?? null;
}

/**
 * The events of each row of a history with a row per event, newest first, from its JSON lines: a line ends with them. Null for a release
 * without other formats.
 */
export function rowEvents(release: SiteRelease, artifact: HistoryArtifact): RowEvents[] | null {
  const path = artifact.path.replace(/\.[a-z]+$/, '.ndjson');
  if (!release.find(path)) return null;
  const lines = release.text(path).split('\n').slice(0, -1);
  const rows = release.find(artifact.path)?.rows;
  if (lines.length !== rows) {
    const [expected, found] = [`${rows} lines`, `${lines.length}`];
    throw new CathedralError('site_failed', { place: path, expected, found });
  }
  // No text contains the member's name as it stands there, since its quotation marks are escaped.
  return lines.map((line) => JSON.parse(`{${line.slice(line.lastIndexOf('"event":'))}`) as RowEvents);
}
