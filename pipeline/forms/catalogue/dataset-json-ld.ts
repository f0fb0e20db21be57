import { asOfFile, type Versions } from '../../artifacts/as-of.ts';
import { fieldsOf } from '../../artifacts/data-dictionary.ts';
import { type CatalogueFacts, type Described, LICENCE, pageUrl, plainType, TITLE } from './facts.ts';

/** schema.org/Dataset for the page of one file, which dataset search engines read. */
export function datasetJsonLd(
  facts: Pick<CatalogueFacts, 'baseUrl' | 'author' | 'since'> & Versions,
  { artifact, files }: Pick<Described, 'artifact' | 'files'>,
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
    url: pageUrl(facts, artifact),
    identifier: `${baseUrl}/${path}`,
    keywords: [area, 'ledger', 'open data'],
    ...(!restricted && { license: LICENCE.path }),
    isAccessibleForFree: !restricted,
    creator: organisation,
    publisher: organisation,
    ...(asOf !== null && { dateModified: asOf, version: asOf, temporalCoverage: `${since}/${asOf}` }),
    variableMeasured: variables(artifact),
    distribution: files.map((file) => ({
      '@type': 'DataDownload',
      name: file.path.split('/').at(-1)!,
      encodingFormat: plainType(file.media_type),
      contentUrl: `${baseUrl}/${file.path}`,
      contentSize: `${file.bytes} B`,
      sha256: file.sha256,
    })),
    includedInDataCatalog: { '@type': 'DataCatalog', name: TITLE, url: `${baseUrl}/catalog.jsonld` },
  };
}

/** Fields with a unit. */
function variables(artifact: Described['artifact']) {
  return fieldsOf(artifact)
    .filter(({ unit }) => unit !== '')
    .map(({ name, description, unit }) => ({ '@type': 'PropertyValue', name, description, unitText: unit }));
}

/** JSON for a `script` element, in which nothing can end the element. */
export function formatForScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}
