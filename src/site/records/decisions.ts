import type { z } from 'zod';
import { decisions as published } from '../../../pipeline/artifacts/philosophy/decisions.ts';
import { pageNames } from '../../../pipeline/words/page-names.ts';
import { perRelease, type SiteRelease } from '../layout/release.ts';
import { forEachLine, type LinePlace, readRows, TEXT, TEXTS, unreadable } from './history-rows.ts';
import { type Archive, archiveOf, type Entry } from './records.ts';
import { rowEvents } from './row-events.ts';

const ROW = published.schema.shape.decisions.element;

/** A record in short. */
export interface DecisionEntry extends Entry {
  /** Day on which it was recorded. */
  date: string;
  hasLessons: boolean;
  /** Whether a later record has the same id, and so corrects this one. */
  isReplaced: boolean;
  /** Sentinels that took part. */
  involved: readonly string[];
  /** Index in the log of the event that recorded it; null for a release without other formats. */
  event: number | null;
  place: LinePlace;
}

export type Decision = z.output<typeof ROW> & {
  /** The path of its page. Decisions with the same id share a page. */
  href: string;
  event: DecisionEntry['event'];
  isReplaced: boolean;
};

const HEAD = new RegExp(
  `^\\{"id":(${TEXT}),"date":"([^"]*)","topic":(${TEXT}),"frameworks_applied":${TEXTS},"sentinels_involved":(${TEXTS}),`,
);
const NO_LESSONS = /"lessons_learned":""\}$/;

export const decisionRecords = perRelease((release): Archive<DecisionEntry> => {
  const events = rowEvents(release, published);
  const found: Omit<DecisionEntry, 'href' | 'index'>[] = [];
  const newer = new Set<string>();
  forEachLine(release, published.path, (line, place) => {
    const [, id, date, topic, involved] = HEAD.exec(line) ?? [];
    if (id === undefined) throw unreadable(published.path, line, place);
    const hasLessons = !NO_LESSONS.test(line);
    const own: string = JSON.parse(id);
    found.push({
      id: own,
      topic: JSON.parse(topic!),
      date: date!,
      involved: JSON.parse(involved!),
      hasLessons,
      isReplaced: newer.has(own),
      event: events?.[found.length]?.event ?? null,
      place,
    });
    newer.add(own);
  });
  found.reverse();
  const names = pageNames(found.map(({ id }) => id));
  return archiveOf(found.map((one, index) => ({ ...one, index, href: `/decisions/${names.get(one.id)}/` })));
});

/** The records with their texts. */
export function readDecisions(release: SiteRelease, entries: readonly DecisionEntry[]): Decision[] {
  if (entries.length === 0) return [];
  return readRows(release, { path: published.path, schema: ROW }, (rowAt) =>
    entries.map(({ place, href, event, isReplaced }) => ({ ...rowAt(place), href, event, isReplaced })),
  );
}

/** Those in which a sentinel took part, as last recorded, the oldest first. */
export function decisionsWith(release: SiteRelease, sentinel: string): DecisionEntry[] {
  return decisionRecords(release).entries.filter(
    ({ involved, isReplaced }) => !isReplaced && involved.includes(sentinel),
  );
}
