import { CITATIONS_PATH, type Cited } from '../../../../pipeline/artifacts/academics/citations.ts';
import { eventsByDay } from '../../../../pipeline/artifacts/academics/events-by-day.ts';
import { cslCitations } from '../../../../pipeline/forms/catalogue/citation.ts';
import type { SiteRelease } from '../release.ts';

/** The author of the first entry, inside the braces that mark an organisation. */
const BIBTEX_AUTHOR = /^ {2}author = \{\{(.*)\}\},$/m;

/** What citations and descriptions of files follow from, as far as the release's files give it: `since` is a day. */
export interface FileFacts extends Cited {
  since: string;
}

/** Each is read when it is asked for, so that a page depends on nothing that it does not show. */
export function siteFacts(release: SiteRelease): FileFacts {
  return {
    baseUrl: release.baseUrl,
    versions: { get: (path) => release.find(path) },
    get author() {
      return authorOf(release);
    },
    get asOf() {
      return release.draft.timestamp;
    },
    get since() {
      return release.read(eventsByDay)[0]?.date ?? release.draft.timestamp.slice(0, 10);
    },
  };
}

/** The publisher as citations name it. A release without catalogues has it in LaTeX only, which is the same for most names. */
export function authorOf(release: SiteRelease): string {
  if (release.author !== undefined) return release.author;
  if (release.willHave(cslCitations.path)) return release.read(cslCitations)[0].publisher;
  return BIBTEX_AUTHOR.exec(release.text(CITATIONS_PATH))?.[1] ?? '';
}
