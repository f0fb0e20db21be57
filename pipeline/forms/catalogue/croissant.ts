import type { DraftFile } from '../../release/format/manifest.ts';
import type { Column, ColumnType } from '../columns.ts';
import { formPath, type Table } from '../tables.ts';
import {
  type CatalogueFacts,
  DESCRIPTION,
  type Described,
  describedFiles,
  LICENCE,
  plainName,
  plainType,
  TITLE,
} from './facts.ts';

/** The terms of Croissant 1.1, under the names that its specification gives them. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  annotation: 'cr:annotation',
  arrayShape: 'cr:arrayShape',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  containedIn: 'cr:containedIn',
  cr: 'http://mlcommons.org/croissant/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  description: { '@container': '@language' },
  equivalentProperty: 'cr:equivalentProperty',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileObject: 'cr:fileObject',
  fileProperty: 'cr:fileProperty',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isArray: 'cr:isArray',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  name: { '@container': '@language' },
  parentField: 'cr:parentField',
  path: 'cr:path',
  prov: 'http://www.w3.org/ns/prov#',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  samplingRate: 'cr:samplingRate',
  sc: 'https://schema.org/',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
};

const DATA_TYPES: Record<ColumnType, string> = {
  text: 'sc:Text',
  integer: 'sc:Integer',
  number: 'sc:Float',
  decimal: 'sc:Float',
  boolean: 'sc:Boolean',
  datetime: 'sc:DateTime',
  date: 'sc:Date',
  list: 'sc:Text',
  integers: 'sc:Integer',
};

/** `/croissant.json`, Croissant 1.1: files with their hashes and tables with their columns, for machine learning. */
export function formatCroissant(facts: CatalogueFacts): string {
  const { baseUrl, asOf, since, author } = facts;
  const described = describedFiles(facts);
  const document = {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    name: 'cathedral-data-service',
    alternateName: TITLE,
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    description: DESCRIPTION,
    license: LICENCE.path,
    url: `${baseUrl}/`,
    version: versionOf(asOf),
    datePublished: since,
    dateModified: asOf,
    isLiveDataset: true,
    creator: { '@type': 'sc:Organization', name: author, url: `${baseUrl}/` },
    publisher: { '@type': 'sc:Organization', name: author, url: `${baseUrl}/` },
    citeAs: `${author} (${asOf.slice(0, 4)}). ${TITLE}. State of the ledger at ${asOf}. ${baseUrl}/`,
    'prov:wasDerivedFrom': { '@id': `${baseUrl}/log/checkpoint` },
    keywords: ['open data', 'ledger', 'transparency', 'integrity'],
    distribution: described.flatMap(({ files }) => files).map((file) => fileObject(facts, file)),
    recordSet: described.flatMap(({ tables, files }) => tables.map((table) => recordSet(table, files))),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** `2026-09-30T23:59:59Z` → `2026.9.30`: Croissant requires three numbers. */
function versionOf(asOf: string): string {
  return asOf.slice(0, 10).split('-').map(Number).join('.');
}

function fileObject({ baseUrl }: CatalogueFacts, { path, media_type, bytes, sha256 }: DraftFile) {
  return {
    '@type': 'cr:FileObject',
    '@id': plainName(path),
    name: plainName(path),
    contentUrl: `${baseUrl}/${path}`,
    contentSize: `${bytes} B`,
    encodingFormat: media_type === 'application/x-ndjson' ? 'application/jsonlines' : plainType(media_type),
    sha256,
  };
}

/** The rows of histories, and of JSON files, come from JSON lines, which have every column; those of other CSV files from the file itself. */
function recordSet(table: Table, files: Described['files']) {
  const { artifact, name, title, description, key, allColumns, grows } = table;
  const isOwn = artifact.mediaType.startsWith('text/csv') && !grows;
  const path = isOwn ? artifact.path : formPath(table, '.ndjson');
  const source = files.some((file) => file.path === path) ? plainName(path) : null;
  return {
    '@type': 'cr:RecordSet',
    '@id': name,
    name,
    description: `${title}. ${description}`,
    ...(key.length > 0 && { key: key.map((column) => ({ '@id': `${name}/${column}` })) }),
    field: allColumns.map((column) => fieldOf(name, column, source)),
  };
}

function fieldOf(table: string, { name, type, description, unit }: Column, source: string | null) {
  return {
    '@type': 'cr:Field',
    '@id': `${table}/${name}`,
    name: `${table}/${name}`,
    description: unit ? `${description} (${unit})` : description,
    dataType: DATA_TYPES[type],
    ...((type === 'list' || type === 'integers') && { isArray: true }),
    ...(source && { source: { fileObject: { '@id': source }, extract: { column: name } } }),
  };
}
