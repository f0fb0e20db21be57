import { CITATIONS_PATH } from '../../../pipeline/artifacts/academics/citations.ts';
import { DATABASE } from '../../../pipeline/formats/catalogue/catalogue.ts';
import { EVENT_LINE_SCHEMA_PATH } from '../../../pipeline/ledger/events/event-schemas.ts';
import type { SiteRelease } from '../layout/release.ts';

/** A file that contains or describes all the others. */
interface CatalogueRow {
  path: string;
  title: string;
  words: string;
  /** Null for a file that is built with the pages. */
  bytes: number | null;
}

/** Each stands at the root, except those that other tables have too. */
export const CATALOGUES: readonly Omit<CatalogueRow, 'bytes'>[] = [
  { path: DATABASE.path, title: DATABASE.title, words: DATABASE.description },
  {
    path: 'datapackage.json',
    title: 'Data Package',
    words: 'Every public file with its size, digest and columns (Data Package 2), for Frictionless tools.',
  },
  {
    path: 'catalog.jsonld',
    title: 'DCAT catalogue',
    words: 'Every file as a dataset with its distributions (DCAT 3, JSON-LD), for data portals.',
  },
  {
    path: 'croissant.json',
    title: 'Croissant',
    words: 'Tables and columns in the format that machine learning frameworks load (Croissant 1.1).',
  },
  {
    path: CITATIONS_PATH,
    title: 'Citations as BibTeX',
    words: 'An entry for the system, each paper and each file.',
  },
  {
    path: 'citations.ris',
    title: 'Citations as RIS',
    words: 'The same entries, for reference managers.',
  },
  {
    path: 'citations.csl.json',
    title: 'Citations as CSL-JSON',
    words: 'The same entries, for Zotero, Pandoc and citation styles.',
  },
  {
    path: 'CITATION.cff',
    title: 'Citation of the software',
    words: 'The software that made the files, in the Citation File Format.',
  },
  {
    path: 'feed.atom',
    title: 'Changes as an Atom feed',
    words:
      'Each completed day, multiplier, decision, deliberation, audit, outage and alert. Each area also has its own feed, linked from its page.',
  },
  { path: 'feed.json', title: 'Changes as a JSON Feed', words: 'The same entries in JSON.' },
  {
    path: 'openapi.json',
    title: 'OpenAPI description',
    words: 'Every path with its responses and errors (OpenAPI 3.1), for generating clients.',
  },
  {
    path: 'asyncapi.json',
    title: 'AsyncAPI description',
    words: 'Every message of the governance simulation (AsyncAPI 3.0).',
  },
  {
    path: EVENT_LINE_SCHEMA_PATH,
    title: 'JSON Schema of an event',
    words: 'A line of the ledger, with the data of every event type (JSON Schema 2020-12).',
  },
  {
    path: 'llms.txt',
    title: 'llms.txt',
    words: 'A guide to the site for language models.',
  },
];
/** Built with the pages, so the draft does not have them yet. */
const OF_THE_SITE: readonly string[] = ['openapi.json', 'asyncapi.json'];

/** The catalogues that the release has. */
export function catalogueRows(release: SiteRelease): CatalogueRow[] {
  return CATALOGUES.filter(({ path }) => OF_THE_SITE.includes(path) || release.willHave(path)).map((row) => ({
    ...row,
    bytes: release.find(row.path)?.bytes ?? null,
  }));
}
