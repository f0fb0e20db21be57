import { CITATIONS_PATH } from '../../../../pipeline/artifacts/academics/citations.ts';
import { DATABASE } from '../../../../pipeline/forms/catalogue/facts.ts';
import type { SiteRelease } from '../release.ts';

/** What holds or tells of all files at once. */
interface CatalogueRow {
  path: string;
  title: string;
  words: string;
  /** Null where it is made with the pages. */
  bytes: number | null;
}

const CATALOGUES: readonly Omit<CatalogueRow, 'bytes'>[] = [
  { path: DATABASE.path, title: DATABASE.title, words: DATABASE.description },
  {
    path: 'datapackage.json',
    title: 'Data Package',
    words: 'Every public file with its size, digest and columns (Data Package 2), for Frictionless tools.',
  },
  {
    path: 'catalog.jsonld',
    title: 'DCAT catalogue',
    words: 'Every file as a dataset with its distributions (DCAT 3, JSON-LD), for data portals to harvest.',
  },
  {
    path: 'croissant.json',
    title: 'Croissant',
    words: 'Tables and columns as machine learning frameworks load them (Croissant 1.0).',
  },
  {
    path: CITATIONS_PATH,
    title: 'Citations as BibTeX',
    words: 'An entry for the system, each paper and each file.',
  },
  {
    path: 'citations.ris',
    title: 'Citations as RIS',
    words: 'An entry for each file, for reference managers.',
  },
  {
    path: 'citations.csl.json',
    title: 'Citations as CSL-JSON',
    words: 'An entry for each file, for Zotero, Pandoc and citation styles.',
  },
  {
    path: 'feed.atom',
    title: 'Changes as an Atom feed',
    words: 'Each closed day, each change of a multiplier, each decision.',
  },
  { path: 'feed.json', title: 'Changes as a JSON Feed', words: 'The same entries in JSON.' },
  {
    path: 'openapi.json',
    title: 'OpenAPI description',
    words: 'Every path with its answers and errors (OpenAPI 3.1), to make clients from.',
  },
  {
    path: 'asyncapi.json',
    title: 'AsyncAPI description',
    words: 'Every message of the governance simulation (AsyncAPI 3.0).',
  },
  {
    path: 'llms.txt',
    title: 'llms.txt',
    words: 'What is here and where, for a language model that reads it.',
  },
];
/** The site's build writes them, so they are not in the release yet. */
const OF_THE_SITE: readonly string[] = ['openapi.json', 'asyncapi.json'];

/** What the release has of the catalogues; none of them where it was made without. */
export function catalogueRows(release: SiteRelease): CatalogueRow[] {
  return CATALOGUES.filter(({ path }) => OF_THE_SITE.includes(path) || release.willHave(path)).map((row) => ({
    ...row,
    bytes: release.find(row.path)?.bytes ?? null,
  }));
}
