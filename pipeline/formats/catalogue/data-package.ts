import { homeOf } from '../../artifacts/documents/organisation.ts';
import { formatTableSchema } from '../../release/format/table-schema.ts';
import { counted } from '../../words/number.ts';
import type { Catalogue, Dataset } from './catalogue.ts';

/**
 * `/datapackage.json`, a Data Package (version 2) of every public data file with its format, size, hash and, for CSV, its Table
 * Schema. Paths are relative, so that a mirror's package describes the mirror's files.
 */
export function dataPackage({ baseUrl, asOf, organisation, ledger, ...about }: Catalogue) {
  const { name, contact: email, authors = [], licence } = organisation;
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    // Programs that have many packages tell them apart by it.
    name: new URL(baseUrl).hostname,
    id: `${baseUrl}/datapackage.json`,
    title: about.title,
    description: about.description,
    homepage: `${baseUrl}/`,
    version: asOf,
    created: asOf,
    licenses: [{ name: licence.id, title: licence.title, path: licence.url }],
    contributors: [
      { title: name, path: homeOf(organisation, baseUrl), email, roles: ['publisher'] },
      ...authors.map((title) => ({ title, roles: ['creator'] })),
    ],
    sources: [
      { title: `Ledger ${ledger.origin}, first ${counted(ledger.size, 'event')}, root ${ledger.root}` },
    ],
    keywords: about.keywords,
    resources: about.datasets.flatMap(resourcesOf),
  };
}

function resourcesOf({ artifact, downloads }: Dataset) {
  return downloads.map(({ path, name, title, description, mediaType, schema, rows, blob }) => ({
    name,
    path,
    title,
    ...(description && { description }),
    // A path without an ending is JSON.
    format: /\.([a-z]+)$/.exec(path)?.[1] ?? 'json',
    mediatype: mediaType,
    ...(schema?.endsWith('.schema.json') && { jsonSchema: schema }),
    ...(schema?.endsWith('.table.json') && artifact && tabular(artifact)),
    ...(/^text\/|json|x-bibtex/.test(mediaType) && { encoding: 'utf-8' }),
    ...(blob && { bytes: blob.bytes, hash: `sha256:${blob.sha256}` }),
    ...(rows !== null && { rows }),
  }));
}

function tabular(artifact: Exclude<Dataset['artifact'], null>) {
  if (artifact.kind === 'printed') return {};
  const { $schema, fields, missingValues } = formatTableSchema(artifact);
  return {
    type: 'table',
    dialect: {
      $schema: 'https://datapackage.org/profiles/2.0/tabledialect.json',
      delimiter: ',',
      lineTerminator: '\n',
    },
    schema: { $schema, fields, missingValues },
  };
}
