import type { Area } from '../../artifacts/artifact.ts';
import { homeOf, type Licence } from '../../artifacts/documents/organisation.ts';
import type { Catalogue, Dataset, Download } from './catalogue.ts';

/** The names that data portals have for media types. */
const FORMATS: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  'application/pdf': 'PDF',
  'application/vnd.apache.parquet': 'Parquet',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'XLSX',
  'application/vnd.sqlite3': 'SQLite',
  'application/x-bibtex': 'BibTeX',
  'application/x-ndjson': 'NDJSON',
  'text/csv': 'CSV',
};

/** Inline, so that readers of the catalogue need no further file. */
const CONTEXT = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  foaf: 'http://xmlns.com/foaf/0.1/',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  spdx: 'http://spdx.org/rdf/terms#',
  vcard: 'http://www.w3.org/2006/vcard/ns#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
};

/** The vocabularies of the European Union, which DCAT-AP requires. */
const EU = 'http://publications.europa.eu/resource/authority';

/** The theme of each area, and its name. */
const THEMES: Readonly<Record<Area, [theme: string, name: string]>> = {
  government: ['GOVE', 'Government and public sector'],
  economy: ['ECON', 'Economy and finance'],
  academics: ['TECH', 'Science and technology'],
  philosophy: ['SOCI', 'Population and society'],
  diplomacy: ['INTR', 'International issues'],
};

/**
 * `/catalog.jsonld`, a DCAT 3 catalogue as DCAT-AP 3 has it: a dataset for each file, a distribution for each of its formats. Restricted files
 * are described and have no distribution. Everything that a portal shows stands at each dataset, since portals read datasets alone.
 */
export function dcat(catalogue: Catalogue) {
  const { baseUrl, asOf, organisation, title, description, datasets } = catalogue;
  const { name, contact, licence } = organisation;
  return {
    '@context': CONTEXT,
    '@id': `${baseUrl}/catalog.jsonld`,
    '@type': 'dcat:Catalog',
    'dct:title': english(title),
    'dct:description': english(description),
    ...common(catalogue, 'UPDATE_CONT', asOf),
    'dct:license': licenceOf(licence),
    'dct:publisher': {
      '@id': `${baseUrl}/#publisher`,
      '@type': ['foaf:Agent', 'foaf:Organization'],
      'foaf:name': name,
      'foaf:mbox': link(`mailto:${contact}`),
      'foaf:homepage': document(homeOf(organisation, baseUrl)),
    },
    'dcat:contactPoint': {
      '@id': `${baseUrl}/#contact`,
      '@type': ['vcard:Kind', 'vcard:Organization'],
      'vcard:fn': name,
      'vcard:hasEmail': link(`mailto:${contact}`),
      'vcard:hasURL': link(homeOf(organisation, baseUrl)),
    },
    'foaf:homepage': document(`${baseUrl}/`),
    'dcat:theme': Object.values(THEMES).map(([theme, name]) => ({
      ...link(`${EU}/data-theme/${theme}`),
      '@type': 'skos:Concept',
      'skos:prefLabel': english(name),
    })),
    'dcat:themeTaxonomy': {
      ...link(`${EU}/data-theme`),
      '@type': 'skos:ConceptScheme',
      'dct:title': english('Data theme'),
    },
    'dcat:dataset': datasets.map((dataset) => datasetOf(catalogue, dataset)),
  };
}

/** What the catalogue and each dataset say of themselves. */
function common({ baseUrl, since }: Catalogue, frequency: string, modified: string) {
  return {
    'dct:publisher': link(`${baseUrl}/#publisher`),
    'dcat:contactPoint': link(`${baseUrl}/#contact`),
    'dct:language': { ...link(`${EU}/language/ENG`), '@type': 'dct:LinguisticSystem' },
    'dct:issued': time(since),
    'dct:modified': time(modified),
    'dct:accrualPeriodicity': { ...link(`${EU}/frequency/${frequency}`), '@type': 'dct:Frequency' },
  };
}

function datasetOf(catalogue: Catalogue, dataset: Dataset) {
  const { baseUrl, organisation, since } = catalogue;
  const { path, title, description, keywords, artifact, area, asOf, restricted, page, downloads } = dataset;
  const themes = area === null ? Object.values(THEMES) : [THEMES[area]];
  return {
    '@id': `${baseUrl}/catalog.jsonld#${path}`,
    '@type': 'dcat:Dataset',
    'dct:identifier': `${baseUrl}/${path}`,
    'dct:title': english(title),
    'dct:description': english(description),
    ...common(catalogue, frequencyOf(artifact, asOf), asOf ?? catalogue.asOf),
    'dcat:theme': themes.map(([theme]) => link(`${EU}/data-theme/${theme}`)),
    ...(asOf !== null && {
      'dcat:version': asOf,
      'dct:temporal': {
        '@type': 'dct:PeriodOfTime',
        'dcat:startDate': time(since),
        'dcat:endDate': time(asOf),
      },
    }),
    'dct:accessRights': {
      ...link(`${EU}/access-right/${restricted ? 'RESTRICTED' : 'PUBLIC'}`),
      '@type': 'dct:RightsStatement',
    },
    ...(!restricted && { 'dct:license': licenceOf(organisation.licence) }),
    'dcat:landingPage': document(`${baseUrl}/${page}`),
    'dcat:keyword': keywords,
    'dcat:distribution': downloads.map((download) => distributionOf(catalogue, download)),
  };
}

/** The vocabulary has no six hours, but a word for another regularity. A written text follows no event. */
function frequencyOf(artifact: Dataset['artifact'], asOf: string | null): string {
  if (asOf === null) return 'IRREG';
  return artifact?.refresh === 'real-time' ? 'UPDATE_CONT' : 'OTHER';
}

function distributionOf({ baseUrl, organisation }: Catalogue, { path, mediaType, schema, blob }: Download) {
  const url = link(`${baseUrl}/${path}`);
  return {
    '@id': `${url['@id']}#distribution`,
    '@type': 'dcat:Distribution',
    'dct:title': english(path.split('/').at(-1)!),
    'dcat:accessURL': url,
    'dcat:downloadURL': url,
    // A text, as CKAN and other portals read it, although the shapes of DCAT-AP ask for a resource.
    'dct:format': FORMATS[mediaType] ?? mediaType,
    'dcat:mediaType': {
      ...link(`https://www.iana.org/assignments/media-types/${mediaType}`),
      '@type': 'dct:MediaType',
    },
    'dct:license': licenceOf(organisation.licence),
    ...(schema && { 'dct:conformsTo': { ...link(`${baseUrl}/${schema}`), '@type': 'dct:Standard' } }),
    ...(blob && {
      'dcat:byteSize': { '@value': String(blob.bytes), '@type': 'xsd:nonNegativeInteger' },
      'spdx:checksum': {
        '@type': 'spdx:Checksum',
        'spdx:algorithm': {
          ...link('http://spdx.org/rdf/terms#checksumAlgorithm_sha256'),
          '@type': 'spdx:ChecksumAlgorithm',
        },
        'spdx:checksumValue': { '@value': blob.sha256, '@type': 'xsd:hexBinary' },
      },
    }),
  };
}

function licenceOf({ url }: Licence) {
  return { ...link(url), '@type': 'dct:LicenseDocument' };
}

function document(url: string) {
  return { ...link(url), '@type': 'foaf:Document' };
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
