import { formatDay } from '../../../pipeline/words/moment.ts';
import type { SiteRelease } from '../layout/release.ts';
import { type ArchiveKind, type Entry, questionOf, yearPage } from './archive.ts';
import { DECISIONS, type Decision, decisionRecords } from './decisions.ts';
import { DELIBERATIONS, type Deliberation, deliberationRecords } from './deliberations.ts';
import type { Row } from './record.ts';

/** The archives by the folder of their pages. */
const ARCHIVES = { decisions: DECISIONS, deliberations: DELIBERATIONS };
export type ArchiveFolder = keyof typeof ARCHIVES;

export function archiveKind(folder: ArchiveFolder): ArchiveKind {
  return ARCHIVES[folder];
}

/**
 * How many other decisions on its question a page lists on either side of it. Without a limit, the pages of a question that comes
 * up every week would change every week.
 */
const MOST_OTHERS = 10;

/**
 * The deliberation before a decision. The files do not state it, so this is the last one with the same topic that was closed by the
 * day of the decision.
 */
export function deliberationBefore(
  release: SiteRelease,
  { topic, date }: Pick<Decision, 'topic' | 'date'>,
): Deliberation | null {
  const all = deliberationRecords(release).questions.get(questionOf(topic)) ?? [];
  return all.findLast((one) => one.topic === topic && one.date !== null && one.date <= date) ?? null;
}

/** The decision on a deliberation: the first that has it before it. */
export function decisionAfter(release: SiteRelease, one: Deliberation): Decision | null {
  const { later } = otherDecisions(release, one);
  return later.find((decision) => deliberationBefore(release, decision) === one) ?? null;
}

/** Other decisions on the same question, the oldest first: reviews, or what was reviewed. */
export function otherDecisions(
  release: SiteRelease,
  one: Decision | Deliberation,
): { earlier: readonly Decision[]; later: readonly Decision[] } {
  const all = decisionRecords(release).questions.get(questionOf(one.topic)) ?? [];
  const others = all.filter(({ href }) => href !== one.href);
  const isBefore = (decision: Decision) =>
    'isReplaced' in one ? decision.index < one.index : one.date === null || decision.date < one.date;
  return {
    earlier: others.filter(isBefore).slice(-MOST_OTHERS),
    later: others.filter((decision) => !isBefore(decision)).slice(0, MOST_OTHERS),
  };
}

/** The newest first; `shown`: the decision that the page already links to. */
export function otherRows(
  release: SiteRelease,
  one: Decision | Deliberation,
  shown: Decision | null = null,
): Row[] {
  const { earlier, later } = otherDecisions(release, one);
  return [...earlier, ...later]
    .filter(({ href }) => href !== shown?.href)
    .map(({ href, date, topic }) => ({ href, title: topic, when: formatDay(date), notes: [] }))
    .reverse();
}

/** The addresses of all pages below a folder: `/decisions/d-1/`, `/decisions/in-2025/`. The page of the folder itself is not among them. */
export function archivePages(folder: ArchiveFolder): (release: SiteRelease) => string[] {
  return (release) => {
    const { pages, years } = archiveKind(folder).records(release);
    return [...pages.keys(), ...[...years.keys()].map((year) => yearPage(folder, year))];
  };
}

/**
 * Which of these pages may differ from those of an earlier release of the same ledger, made by the same program: all that are new, and the
 * existing ones that say something about what is new. `since` is the time of the earlier release.
 *
 * A release has all events up to its time, so whatever is new has the day of `since` or a later one. Of the day itself everything counts as
 * new, because its files were not complete. The pages are made so that a later record changes only these:
 *
 * - its own page, which it may share with earlier records of the same id; the lists of the years of all of these;
 * - the page of the record before it, and the list of the year of that record, which link to it as the next;
 * - the last pages on the same question, which list it;
 * - every page of a deliberation that is not in the archive yet.
 *
 * Nothing else on a page depends on what came later: names in texts link to what there was on the day of the text, the sentinels are those
 * of that day, and a deliberation is compared with those before it.
 */
export function touchedPages(release: SiteRelease, folder: ArchiveFolder, since: string): string[] {
  const day = since.slice(0, 10);
  return [...new Set([...touchedRecords(release, folder, day), ...touchedByQuestion(release, folder, day)])];
}

function touchedRecords(release: SiteRelease, folder: ArchiveFolder, day: string): string[] {
  const { entries, pages } = archiveKind(folder).records(release);
  const first = entries.findIndex((one) => isNew(one, day));
  if (first < 0) return [];
  return entries
    .slice(Math.max(0, first - 1))
    .flatMap(({ href }) => [
      href,
      ...pages.get(href)!.flatMap(({ date }) => (date === null ? [] : [yearPage(folder, date.slice(0, 4))])),
    ]);
}

/** Open deliberations have no date. */
function isNew({ date }: Entry, day: string): boolean {
  return date === null || date >= day;
}

/** Each page on a question lists `MOST_OTHERS` decisions after its own day. */
function touchedByQuestion(release: SiteRelease, folder: ArchiveFolder, day: string): string[] {
  const { entries, questions } = decisionRecords(release);
  const asked = new Set(entries.filter((one) => isNew(one, day)).map(({ topic }) => questionOf(topic)));
  return [...asked].flatMap((question) => {
    const decided = questions.get(question)!;
    const first = Math.max(0, decided.findIndex((one) => isNew(one, day)) - MOST_OTHERS);
    if (folder === 'decisions') return decided.slice(first).map(({ href }) => href);
    const since = decided[first]!.date;
    // Where the question has few decisions, every deliberation lists all that came after it.
    return (deliberationRecords(release).questions.get(question) ?? [])
      .filter(({ date }) => date === null || first === 0 || date >= since)
      .map(({ href }) => href);
  });
}
