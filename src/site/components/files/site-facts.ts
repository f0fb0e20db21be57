import { CITATIONS_PATH, type Cited } from '../../../../pipeline/artifacts/academics/citations.ts';
import { eventsByDay } from '../../../../pipeline/artifacts/academics/events-by-day.ts';
import { cslCitations } from '../../../../pipeline/forms/catalogue/citation.ts';
import { type CatalogueFacts, versionsOf } from '../../../../pipeline/forms/catalogue/facts.ts';
import type { SiteRelease } from '../release.ts';

/** The author of the first entry, inside the braces that mark an organisation. */
const BIBTEX_AUTHOR = /^ {2}author = \{\{(.*)\}\},$/m;

/** The facts that catalogues and citations are written from, as far as the release's files give them: `since` is a day. */
export function siteFacts(release: SiteRelease): Omit<CatalogueFacts, 'cycle'> {
  const { timestamp: asOf, ledger, files } = release.draft;
  const since = release.read(eventsByDay)[0]?.date ?? asOf.slice(0, 10);
  return { baseUrl: release.baseUrl, author: authorOf(release), since, asOf, ledger, files };
}

/** What the citations of files follow from. */
export function citedFacts(release: SiteRelease): Cited {
  const facts = siteFacts(release);
  return { ...facts, versions: versionsOf(facts) };
}

/** The publisher as citations name it. A release without catalogues has it in LaTeX only, which is the same for most names. */
export function authorOf(release: SiteRelease): string {
  if (release.willHave(cslCitations.path)) return release.read(cslCitations)[0].publisher;
  return BIBTEX_AUTHOR.exec(release.text(CITATIONS_PATH))?.[1] ?? '';
}
