import { authorsOf } from '../../artifacts/documents/organisation.ts';
import { formatList } from '../../words/phrase.ts';
import type { ColumnType } from '../columns.ts';
import { formPath, type Table } from '../tables.ts';
import type { Catalogue, Download } from './catalogue.ts';
import { creatorsOf, organisationJsonLd } from './dataset-json-ld.ts';

/** The terms of Croissant 1.1 that are named as in its specification. */
const TERMS =
  'annotation arrayShape citeAs column containedIn equivalentProperty extract field fileObject fileProperty fileSet format includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate separator source subField transform';

const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  cr: 'http://mlcommons.org/croissant/',
  dct: 'http://purl.org/dc/terms/',
  prov: 'http://www.w3.org/ns/prov#',
  sc: 'https://schema.org/',
  conformsTo: 'dct:conformsTo',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  description: { '@container': '@language' },
  examples: { '@id': 'cr:examples', '@type': '@json' },
  name: { '@container': '@language' },
  ...Object.fromEntries(TERMS.split(' ').map((term) => [term, `cr:${term}`])),
};

/** Of columns that are no text. */
const DATA_TYPES: Partial<Record<ColumnType, string>> = {
  ...{ integer: 'Integer', integers: 'Integer', number: 'Float', decimal: 'Float' },
  ...{ boolean: 'Boolean', datetime: 'DateTime', date: 'Date' },
};

/** `/croissant.json`, Croissant 1.1: files with their hashes and tables with their columns, for machine learning. */
export function croissant({ baseUrl, asOf, since, organisation, datasets, ...about }: Catalogue) {
  return {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    name: about.title,
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    description: about.description,
    license: organisation.licence.url,
    url: `${baseUrl}/`,
    // `2026-09-30T23:59:59Z` → `2026.9.30`: three numbers are required.
    version: asOf.slice(0, 10).split('-').map(Number).join('.'),
    datePublished: since,
    dateModified: asOf,
    // Only then may a file have no hash.
    isLiveDataset: true,
    creator: creatorsOf(organisation, baseUrl),
    publisher: organisationJsonLd(organisation, baseUrl),
    citeAs: `${formatList(authorsOf(organisation))} (${asOf.slice(0, 4)}). ${about.title}. State of the ledger at ${asOf}. ${baseUrl}/`,
    'prov:wasDerivedFrom': { '@id': `${baseUrl}/log/checkpoint` },
    keywords: about.keywords,
    distribution: datasets.flatMap(({ downloads }) => downloads).map((one) => fileObject(baseUrl, one)),
    recordSet: datasets.flatMap(({ tables, downloads }) =>
      tables.map((table) => recordSet(table, downloads)),
    ),
  };
}

function fileObject(baseUrl: string, { path, name, mediaType, blob }: Download) {
  return {
    '@type': 'cr:FileObject',
    '@id': name,
    name,
    contentUrl: `${baseUrl}/${path}`,
    encodingFormat: mediaType === 'application/x-ndjson' ? 'application/jsonlines' : mediaType,
    ...(blob && { contentSize: `${blob.bytes} B`, sha256: blob.sha256 }),
  };
}

/** The rows of histories, and of JSON files, come from JSON lines, which have every column; those of other CSV files from the file itself. */
function recordSet(table: Table, downloads: readonly Download[]) {
  const { artifact, name, title, description, key, allColumns, grows } = table;
  const isOwn = artifact.mediaType.startsWith('text/csv') && !grows;
  const source = downloads.find(({ path }) => path === (isOwn ? artifact.path : formPath(table, '.ndjson')));
  return {
    '@type': 'cr:RecordSet',
    '@id': name,
    name,
    description: `${title}. ${description}`,
    ...(key.length > 0 && { key: key.map((column) => ({ '@id': `${name}/${column}` })) }),
    field: allColumns.map(({ name: column, type, description, unit }) => ({
      '@type': 'cr:Field',
      '@id': `${name}/${column}`,
      name: `${name}/${column}`,
      description: unit ? `${description} (${unit})` : description,
      dataType: `sc:${DATA_TYPES[type] ?? 'Text'}`,
      ...((type === 'list' || type === 'integers') && { isArray: true }),
      ...(source && { source: { fileObject: { '@id': source.name }, extract: { column } } }),
    })),
  };
}
