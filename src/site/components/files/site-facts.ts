import { z } from 'zod';
import type { CatalogueFacts } from '../../../../pipeline/forms/catalogue/facts.ts';
import type { SiteRelease } from '../release.ts';

const DAYS = 'academics/events-by-day.csv';
const CITATIONS = 'citations.csl.json';
const BIBTEX = 'academics/citations.bib';
/** The author of the first entry, within the braces that keep it whole. */
const BIBTEX_AUTHOR = /^ {2}author = \{\{(.*)\}\},$/m;

/** What the catalogues and citations are made from, as far as the release's files say it: `since` is a day. */
export function siteFacts(release: SiteRelease): CatalogueFacts {
  const { timestamp: asOf, ledger, files } = release.draft;
  const { cycle } = release.read('economy/mii', z.looseObject({ cycle: z.string() }));
  const since = firstDay(release) ?? asOf.slice(0, 10);
  return { baseUrl: release.baseUrl, author: authorOf(release), since, asOf, cycle, ledger, files };
}

/** As every citation names it; a release without catalogues has it as LaTeX only, which for most names is the same. */
function authorOf(release: SiteRelease): string {
  if (release.willHave(CITATIONS)) {
    const author = z.tuple([z.looseObject({ literal: z.string() })]);
    const [entry] = release.read(CITATIONS, z.tuple([z.looseObject({ author })], z.unknown()));
    return entry.author[0].literal;
  }
  const bytes = release.find(BIBTEX)?.bytes ?? 0;
  return BIBTEX_AUTHOR.exec(release.head(BIBTEX, bytes))?.[1] ?? '';
}

/** The oldest day that is over; null where none is. Rows are newest first, and begin with the date. */
function firstDay(release: SiteRelease): string | null {
  const file = release.find(DAYS);
  const text = file ? release.head(DAYS, file.bytes).trimEnd() : '';
  const [, day = null] = /\n(\d{4}-\d{2}-\d{2}),[^\n]*$/.exec(text.slice(text.lastIndexOf('\n'))) ?? [];
  return day;
}
