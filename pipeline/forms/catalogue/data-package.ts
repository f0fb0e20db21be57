import type { DraftFile } from '../../release/format/manifest.ts';
import { lineSchemaPath, schemaPath } from '../../release/format/schemas.ts';
import { formatTableSchema } from '../../release/format/table-schema.ts';
import {
  type CatalogueFacts,
  DATABASE,
  DESCRIPTION,
  type Described,
  describedFiles,
  LICENCE,
  plainName,
  plainType,
  TITLE,
} from './facts.ts';

/**
 * `/datapackage.json`, a Data Package (version 2) of every public data file with its format, size, hash and, for CSV, its Table
 * Schema. Paths are relative, so that a mirror's package describes the mirror's files.
 */
export function formatDataPackage(facts: CatalogueFacts): string {
  const { baseUrl, asOf, author, ledger } = facts;
  return json({
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: 'cathedral-data-service',
    id: `${baseUrl}/datapackage.json`,
    title: TITLE,
    description: DESCRIPTION,
    homepage: `${baseUrl}/`,
    version: asOf,
    created: asOf,
    licenses: [LICENCE],
    contributors: [{ title: author, path: `${baseUrl}/`, roles: ['publisher'] }],
    sources: [{ title: `Ledger ${ledger.origin}, first ${ledger.size} events, root ${ledger.root}` }],
    keywords: ['open data', 'ledger', 'transparency', 'integrity'],
    resources: [...describedFiles(facts).flatMap(resourcesOf), ...databaseOf(facts)],
  });
}

function resourcesOf({ artifact, tables, files }: Described) {
  return files.map((file) => {
    const isOwn = file.path === artifact.path;
    const title = isOwn
      ? artifact.title
      : (tables.find(({ name }) => isNamed(file, name))?.title ?? artifact.title);
    return {
      name: plainName(file.path),
      path: file.path,
      title,
      description: artifact.description,
      format: formatOf(file),
      mediatype: plainType(file.media_type),
      ...(isOwn && file.media_type.startsWith('text/csv') && tabular(artifact)),
      ...(isOwn && artifact.mediaType === 'application/json' && { jsonSchema: schemaPath(artifact) }),
      ...(file.path.endsWith('.ndjson') && lineSchema(artifact)),
      ...(isText(file) && { encoding: 'utf-8' }),
      bytes: file.bytes,
      hash: `sha256:${file.sha256}`,
      ...(file.rows !== null && { rows: file.rows }),
    };
  });
}

/** The SQLite file with every table. */
function databaseOf({ files }: CatalogueFacts) {
  return files
    .filter(({ path }) => path === DATABASE.path)
    .map((file) => ({
      name: plainName(file.path),
      path: file.path,
      title: DATABASE.title,
      description: DATABASE.description,
      format: formatOf(file),
      mediatype: file.media_type,
      bytes: file.bytes,
      hash: `sha256:${file.sha256}`,
    }));
}

function tabular(artifact: Described['artifact']) {
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

function lineSchema(artifact: Described['artifact']) {
  const jsonSchema = lineSchemaPath(artifact);
  return jsonSchema && { jsonSchema };
}

function isNamed({ path }: DraftFile, name: string): boolean {
  return path.split('/').at(-1)!.startsWith(name.replaceAll('_', '-'));
}

/** A path without an ending is JSON. */
function formatOf({ path }: DraftFile): string {
  return /\.([a-z]+)$/.exec(path)?.[1] ?? 'json';
}

function isText({ media_type }: DraftFile): boolean {
  return /^(text\/|application\/(json|x-bibtex|x-ndjson))/.test(media_type);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
