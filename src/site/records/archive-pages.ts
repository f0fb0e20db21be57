import type { SiteRelease } from '../layout/release.ts';
import { DECISIONS, type Decision, decisionRecords } from './decisions.ts';
import { DELIBERATIONS, type Deliberation, deliberationRecords } from './deliberations.ts';
import { MOST_OTHERS } from './questions.ts';
import { type ArchiveKind, type Entry, questionOf, yearPage } from './records.ts';

/** The archives by the folder of their pages. */
const ARCHIVES = { decisions: DECISIONS, deliberations: DELIBERATIONS };
export type ArchiveFolder = keyof typeof ARCHIVES;

export function archiveKind(folder: ArchiveFolder): ArchiveKind {
  return ARCHIVES[folder];
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
  const decisions = decisionRecords(release);
  const deliberations = deliberationRecords(release);
  const asked = new Set(
    decisions.entries.filter((one) => isNew(one, day)).map(({ topic }) => questionOf(topic)),
  );
  return [...asked].flatMap((question) => {
    const decided = decisions.questions.get(question)!;
    const first = Math.max(0, decided.findIndex((one) => isNew(one, day)) - MOST_OTHERS);
    const since = decided[first]!.date;
    const touched: readonly (Decision | Deliberation)[] =
      folder === 'decisions'
        ? decided.slice(first)
        : // Where the question has few decisions, every deliberation lists all that came after it.
          (deliberations.questions.get(question) ?? []).filter(
            ({ date }) => date === null || first === 0 || date >= since,
          );
    return touched.map(({ href }) => href);
  });
}
