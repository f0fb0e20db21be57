import { PRINTED } from '../../artifacts/table.ts';
import type { DraftFile } from '../../release/format/manifest.ts';
import { type CatalogueFacts, DESCRIPTION, LICENCE, plainType, TITLE } from './facts.ts';

/** The files of one closed year, in the order of their paths. */
interface Close {
  year: number;
  files: readonly DraftFile[];
}

type Facts = Pick<CatalogueFacts, 'baseUrl' | 'author' | 'doi' | 'since' | 'ledger' | 'files'>;

const YEAR_OF = /-(\d{4})\.(json|parquet)$/;
const KERNEL = 'http://datacite.org/schema/kernel-4';

/**
 * Metadata for a DOI of each closed year, and of all of them together: bodies of a request to DataCite's REST API (schema 4.6). That of a
 * year follows from its files, which never change. PDFs are not among them: they are printed after this, from pages.
 */
export function dataciteFiles(facts: Facts): { path: string; content: string }[] {
  const closes = closedYears(facts.files);
  return [
    { path: 'datacite.json', content: format(facts, conceptOf(facts, closes)) },
    ...closes.map((close, index) => ({
      path: pathOf(close.year),
      content: format(facts, yearOf(facts, close, closes[index - 1] ?? null)),
    })),
  ];
}

function pathOf(year: number): string {
  return `datacite-${year}.json`;
}

function closedYears(files: readonly DraftFile[]): Close[] {
  const years = new Map<number, DraftFile[]>();
  for (const file of files) {
    const [, year] = (file.immutable && !file.restricted && YEAR_OF.exec(file.path)) || [];
    if (year !== undefined) years.set(Number(year), [...(years.get(Number(year)) ?? []), file]);
  }
  return [...years]
    .map(([year, own]) => ({ year, files: own.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }))
    .toSorted((a, b) => a.year - b.year);
}

function format({ author }: Facts, attributes: object): string {
  const name = { name: author, nameType: 'Organizational' };
  const whole = {
    ...attributes,
    types: { resourceTypeGeneral: 'Dataset', resourceType: 'Open data of an append-only ledger' },
    creators: [name],
    contributors: [
      { ...name, contributorType: 'DataManager' },
      { ...name, contributorType: 'Distributor' },
    ],
    publisher: { name: author },
    language: 'en',
    rightsList: [
      {
        rights: LICENCE.title,
        rightsUri: LICENCE.path,
        rightsIdentifier: LICENCE.name.toLowerCase(),
        rightsIdentifierScheme: 'SPDX',
        schemeUri: 'https://spdx.org/licenses/',
        lang: 'en',
      },
    ],
    schemaVersion: KERNEL,
  };
  return `${JSON.stringify({ data: { type: 'dois', attributes: whole } }, null, 2)}\n`;
}

/** All years, and the one that is still open. */
function conceptOf(facts: Facts, closes: readonly Close[]): object {
  const { baseUrl, doi, since } = facts;
  return {
    ...(doi !== null && { doi }),
    url: `${baseUrl}/`,
    titles: [{ title: TITLE, lang: 'en' }],
    publicationYear: since.slice(0, 4),
    dates: [
      { date: since.slice(0, 10), dateType: 'Created', dateInformation: 'The first event of the ledger' },
    ],
    relatedIdentifiers: [
      ...closes.map(({ year }) => related('HasVersion', identifierOf(facts, year))),
      related('HasMetadata', { url: `${baseUrl}/catalog.jsonld` }),
      related('HasMetadata', { url: `${baseUrl}/croissant.json` }),
    ],
    descriptions: [{ description: DESCRIPTION, descriptionType: 'Abstract', lang: 'en' }],
  };
}

function yearOf(facts: Facts, { year, files }: Close, previous: Close | null): object {
  const { baseUrl, doi, since, ledger } = facts;
  const from = since.slice(0, 4) === String(year) ? since.slice(0, 10) : `${year}-01-01`;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const own = doi === null ? null : `${doi}.${year}`;
  return {
    ...(own !== null && { doi: own }),
    url: baseUrl + PRINTED[0]!.closedPage(year),
    titles: [{ title: `${TITLE}, the year ${year}`, lang: 'en' }],
    publicationYear: String(year + 1),
    version: String(year),
    dates: [
      { date: `${from}/${year}-12-31`, dateType: 'Collected' },
      {
        date: `${year + 1}-01-01`,
        dateType: 'Issued',
        dateInformation: 'With the first event of the next year',
      },
    ],
    alternateIdentifiers: [
      { alternateIdentifier: ledger.origin, alternateIdentifierType: 'Origin of the transparency log' },
    ],
    relatedIdentifiers: [
      related('IsVersionOf', doi === null ? { url: `${baseUrl}/` } : { doi }),
      ...(previous ? [related('Continues', identifierOf(facts, previous.year))] : []),
      ...files.map(({ path }) => related('HasPart', { url: `${baseUrl}/${path}` })),
    ],
    sizes: [`${files.length} files`, `${bytes} bytes`],
    formats: [...new Set(files.map(({ media_type }) => plainType(media_type)))],
    descriptions: [
      {
        description: `${DESCRIPTION} This is the yearly close of ${year}: each history's rows of the year, and the report of the year. These files never change.`,
        descriptionType: 'Abstract',
        lang: 'en',
      },
      {
        description: `Each file with its SHA-256 and length in bytes. ${files.map(({ path, sha256, bytes: length }) => `${path}: ${sha256}, ${length}`).join('; ')}.`,
        descriptionType: 'TechnicalInfo',
        lang: 'en',
      },
    ],
  };
}

/** The DOI of a year, or without DOIs the address of its metadata. */
function identifierOf({ baseUrl, doi }: Facts, year: number): { doi: string } | { url: string } {
  return doi === null ? { url: `${baseUrl}/${pathOf(year)}` } : { doi: `${doi}.${year}` };
}

function related(relationType: string, identifier: { doi: string } | { url: string }): object {
  return 'doi' in identifier
    ? { relatedIdentifier: identifier.doi, relatedIdentifierType: 'DOI', relationType }
    : { relatedIdentifier: identifier.url, relatedIdentifierType: 'URL', relationType };
}
