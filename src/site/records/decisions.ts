import type { z } from 'zod';
import { decisions as published } from '../../../pipeline/artifacts/philosophy/decisions.ts';
import { formatDay } from '../../../pipeline/words/moment.ts';
import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { pageNames } from '../../../pipeline/words/page-names.ts';
import { formatToken } from '../../../pipeline/words/phrase.ts';
import { perRelease, type SiteRelease } from '../layout/release.ts';
import { type Archive, type ArchiveKind, archiveOf, type Entry, rowEvents } from './archive.ts';
import { noteOf } from './record.ts';

/** A row of the archive. */
export interface Decision
  extends Entry,
    Omit<z.output<typeof published.schema>['decisions'][number], 'id' | 'topic'> {
  /** The day on which it was recorded. */
  date: string;
  /** Whether a later record has the same id, and so corrects this one. */
  isReplaced: boolean;
}

export const decisionRecords = perRelease((release): Archive<Decision> => {
  const events = rowEvents(release, published);
  const newer = new Set<string>();
  const rows = release.read(published).decisions.map((row, at) => {
    const isReplaced = newer.has(row.id);
    newer.add(row.id);
    return { ...row, isReplaced, events: events?.[at] ?? null };
  });
  rows.reverse();
  const names = pageNames(rows.map(({ id }) => id));
  return archiveOf(rows.map((row, index) => ({ ...row, index, href: `/decisions/${names.get(row.id)}/` })));
});

/** Those in which a sentinel took part, as last recorded, the oldest first. */
export function decisionsWith(release: SiteRelease, sentinel: string): Decision[] {
  return decisionRecords(release).entries.filter(
    ({ sentinels_involved, isReplaced }) => !isReplaced && sentinels_involved.includes(sentinel),
  );
}

export const DECISIONS: ArchiveKind<Decision> = {
  folder: 'decisions',
  term: 'decision',
  title: 'Decisions',
  yearly: 'Decisions in',
  dated: 'recorded',
  types: ['decision_recorded'],
  records: decisionRecords,
  rows: (entries) =>
    entries.map(({ href, topic, date, frameworks_applied: names, isReplaced }) => ({
      href,
      title: topic,
      when: formatDay(date),
      notes: [
        ...noteOf(isReplaced && 'replaced by a later record'),
        ...noteOf(names.map((name) => formatToken(name)).join(', ')),
      ],
    })),
  lead(entries) {
    const [first] = entries;
    if (!first)
      return 'Each decision has a page with its reasoning, the ethical frameworks applied, and what was learned.';
    const standing = entries.filter(({ isReplaced }) => !isReplaced);
    const learned = standing.filter(({ lessons_learned }) => lessons_learned !== '').length;
    const lessons =
      learned === 0
        ? 'None of them says what was learned yet.'
        : `${formatNumber(learned)} ${learned === 1 ? 'includes' : 'include'} lessons learned.`;
    return `${formatCount(standing.length, 'decision')} since ${formatDay(first.date)}, each with its reasoning and the ethical frameworks applied. ${lessons}`;
  },
};
