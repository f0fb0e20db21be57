import { asOfFile } from '../../artifacts/as-of.ts';
import type { DraftFile } from '../../release/format/manifest.ts';
import { lineSchemaPath, schemaPath } from '../../release/format/schemas.ts';
import {
  type CatalogueFacts,
  DATABASE,
  DESCRIPTION,
  type Described,
  describedFiles,
  LICENCE,
  pageUrl,
  plainType,
  TITLE,
  versionsOf,
} from './facts.ts';

const XSD = 'http://www.w3.org/2001/XMLSchema#';

/** Inline, so that readers of the catalogue need no further file. */
const CONTEXT = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  spdx: 'http://spdx.org/rdf/terms#',
  xsd: XSD,
};

const ACCESS = 'http://publications.europa.eu/resource/authority/access-right/';

/**
 * `/catalog.jsonld`, a DCAT 3 catalogue: a dataset for each file, a distribution for each of its formats. Restricted files are
 * described and have no distribution.
 */
export function formatDcat(facts: CatalogueFacts): string {
  const { baseUrl, author, asOf, since } = facts;
  const publisher = { '@id': `${baseUrl}/#publisher` };
  const versions = versionsOf(facts);
  const datasets = [
    ...describedFiles(facts).map((described) =>
      datasetOf(facts, asOfFile({ asOf, versions }, described.artifact), described),
    ),
    ...databaseOf(facts),
  ];
  const catalogue = {
    '@context': CONTEXT,
    '@id': `${baseUrl}/catalog.jsonld`,
    '@type': 'dcat:Catalog',
    'dct:title': english(TITLE),
    'dct:description': english(DESCRIPTION),
    'dct:publisher': {
      ...publisher,
      '@type': 'foaf:Organization',
      'foaf:name': author,
      'foaf:homepage': link(`${baseUrl}/`),
    },
    'dct:language': link('http://publications.europa.eu/resource/authority/language/ENG'),
    'dct:license': link(LICENCE.path),
    'dct:issued': time(since),
    'dct:modified': time(asOf),
    'foaf:homepage': link(`${baseUrl}/`),
    'dcat:dataset': datasets,
  };
  return `${JSON.stringify(catalogue, null, 2)}\n`;
}

function datasetOf(facts: CatalogueFacts, asOf: string | null, { artifact, files }: Described) {
  const { area, restricted } = artifact;
  return {
    ...common(facts, artifact, asOf),
    'dct:accessRights': link(`${ACCESS}${restricted ? 'RESTRICTED' : 'PUBLIC'}`),
    ...(!restricted && { 'dct:license': link(LICENCE.path) }),
    'dcat:landingPage': link(pageUrl(facts, artifact)),
    'dcat:keyword': [area],
    'dcat:distribution': files.map((file) => distributionOf(facts, artifact, file)),
  };
}

function common(
  { baseUrl, since }: CatalogueFacts,
  { path, title, description }: Pick<Described['artifact'], 'path' | 'title' | 'description'>,
  asOf: string | null,
) {
  return {
    '@id': `${baseUrl}/catalog.jsonld#${path}`,
    '@type': 'dcat:Dataset',
    'dct:identifier': `${baseUrl}/${path}`,
    'dct:title': english(title),
    'dct:description': english(description),
    'dct:publisher': link(`${baseUrl}/#publisher`),
    ...(asOf !== null && {
      'dcat:version': asOf,
      'dct:temporal': {
        '@type': 'dct:PeriodOfTime',
        'dcat:startDate': time(since),
        'dcat:endDate': time(asOf),
      },
    }),
  };
}

/** The SQLite file with every table, as a dataset of its own. */
function databaseOf(facts: CatalogueFacts) {
  const { baseUrl, files } = facts;
  return files
    .filter(({ path }) => path === DATABASE.path)
    .map((file) => ({
      ...common(facts, DATABASE, facts.asOf),
      'dct:accessRights': link(`${ACCESS}PUBLIC`),
      'dct:license': link(LICENCE.path),
      'dcat:landingPage': link(`${baseUrl}/files/`),
      'dcat:keyword': ['SQLite'],
      'dcat:distribution': [distributionOf(facts, null, file)],
    }));
}

function distributionOf(
  { baseUrl }: CatalogueFacts,
  artifact: Described['artifact'] | null,
  file: DraftFile,
) {
  const url = `${baseUrl}/${file.path}`;
  const schema = artifact && schemaOf(artifact, file);
  return {
    '@id': `${url}#distribution`,
    '@type': 'dcat:Distribution',
    'dct:title': english(file.path.split('/').at(-1)!),
    'dcat:accessURL': link(url),
    'dcat:downloadURL': link(url),
    'dcat:mediaType': link(`https://www.iana.org/assignments/media-types/${plainType(file.media_type)}`),
    'dcat:byteSize': { '@value': String(file.bytes), '@type': 'xsd:nonNegativeInteger' },
    'dct:license': link(LICENCE.path),
    ...(schema && { 'dct:conformsTo': link(`${baseUrl}/${schema}`) }),
    'spdx:checksum': {
      '@type': 'spdx:Checksum',
      'spdx:algorithm': link('http://spdx.org/rdf/terms#checksumAlgorithm_sha256'),
      'spdx:checksumValue': { '@value': file.sha256, '@type': 'xsd:hexBinary' },
    },
  };
}

function schemaOf(artifact: Described['artifact'], { path }: DraftFile): string | null {
  if (path === artifact.path) return schemaPath(artifact);
  return path.endsWith('.ndjson') ? lineSchemaPath(artifact) : null;
}

function english(text: string) {
  return { '@value': text, '@language': 'en' };
}

function link(url: string) {
  return { '@id': url };
}

function time(text: string) {
  return { '@value': text, '@type': 'xsd:dateTime' };
}
