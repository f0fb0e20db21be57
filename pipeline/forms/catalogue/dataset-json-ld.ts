import type { Artifact } from '../../artifacts/artifact.ts';
import { asOfFile, type Versions } from '../../artifacts/as-of.ts';
import { fieldsOf } from '../../artifacts/data-dictionary.ts';
import { type CatalogueFacts, type Download, LICENCE, pagePath, TITLE } from './facts.ts';

/** schema.org/Dataset for the page of one file, which dataset search engines read. */
export function datasetJsonLd(
  facts: Pick<CatalogueFacts, 'baseUrl' | 'author' | 'since'> & Versions,
  artifact: Artifact,
  downloads: readonly Download[],
) {
  const { baseUrl, author, since } = facts;
  const asOf = asOfFile(facts, artifact);
  const { path, title, description, restricted, area } = artifact;
  const organisation = { '@type': 'Organization', name: author, url: `${baseUrl}/` };
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    '@id': `${baseUrl}/${path}#dataset`,
    name: title,
    description,
    url: `${baseUrl}/${pagePath(artifact)}`,
    identifier: `${baseUrl}/${path}`,
    keywords: [area, 'ledger', 'open data'],
    ...(!restricted && { license: LICENCE.path }),
    isAccessibleForFree: !restricted,
    creator: organisation,
    publisher: organisation,
    ...(asOf !== null && { dateModified: asOf, version: asOf, temporalCoverage: `${since}/${asOf}` }),
    variableMeasured: variables(artifact),
    distribution: downloads.map(({ path, mediaType, blob }) => ({
      '@type': 'DataDownload',
      name: path.split('/').at(-1)!,
      encodingFormat: mediaType,
      contentUrl: `${baseUrl}/${path}`,
      ...(blob && { contentSize: `${blob.bytes} B`, sha256: blob.sha256 }),
    })),
    includedInDataCatalog: { '@type': 'DataCatalog', name: TITLE, url: `${baseUrl}/catalog.jsonld` },
  };
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
