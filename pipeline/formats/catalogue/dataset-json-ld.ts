import type { Artifact } from '../../artifacts/artifact.ts';
import { fieldsOf } from '../../artifacts/data-dictionary.ts';
import { catalogueTitle, homeOf, type Organisation } from '../../artifacts/documents/organisation.ts';
import type { Catalogue, Dataset } from './catalogue.ts';

/** schema.org/Dataset for the page of one file, which dataset search engines read. */
export function datasetJsonLd(
  { baseUrl, organisation, since }: Pick<Catalogue, 'baseUrl' | 'organisation' | 'since'>,
  { path, title, description, restricted, keywords, page, artifact, asOf, downloads }: Dataset,
) {
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    '@id': `${baseUrl}/${path}#dataset`,
    name: title,
    description,
    url: `${baseUrl}/${page}`,
    identifier: `${baseUrl}/${path}`,
    keywords: [...keywords, 'ledger', 'open data'],
    ...(!restricted && { license: organisation.licence.url }),
    isAccessibleForFree: !restricted,
    creator: creatorsOf(organisation, baseUrl),
    publisher: organisationJsonLd(organisation, baseUrl),
    ...(asOf !== null && { dateModified: asOf, version: asOf, temporalCoverage: `${since}/${asOf}` }),
    variableMeasured: artifact ? variables(artifact) : [],
    distribution: downloads.map(({ path, mediaType, blob }) => ({
      '@type': 'DataDownload',
      name: path.split('/').at(-1)!,
      encodingFormat: mediaType,
      contentUrl: `${baseUrl}/${path}`,
      ...(blob && { contentSize: `${blob.bytes} B`, sha256: blob.sha256 }),
    })),
    includedInDataCatalog: {
      '@type': 'DataCatalog',
      name: catalogueTitle(organisation),
      url: `${baseUrl}/catalog.jsonld`,
    },
  };
}

/** The publisher in schema.org’s terms. */
export function organisationJsonLd(organisation: Organisation, baseUrl: string) {
  return { '@type': 'Organization', name: organisation.name, url: homeOf(organisation, baseUrl) };
}

/** Whom citations name. */
export function creatorsOf(organisation: Organisation, baseUrl: string) {
  const { authors } = organisation;
  return (
    authors?.map((name) => ({ '@type': 'Organization', name })) ?? organisationJsonLd(organisation, baseUrl)
  );
}

/** Fields with a unit. */
function variables(artifact: Artifact) {
  return fieldsOf(artifact)
    .filter(({ unit }) => unit !== '')
    .map(({ name, description, unit }) => ({ '@type': 'PropertyValue', name, description, unitText: unit }));
}

/** JSON for a `script` element, in which nothing can end the element. */
export function formatForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
