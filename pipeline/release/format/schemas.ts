import { z } from 'zod';
import type { Artifact } from '../../artifacts/artifact.ts';
import { ATTESTATION_SCHEMA_PATH, formatAttestationJsonSchema } from '../../attestation/json-schema.ts';
import { eventSchemas } from '../../ledger/event-schemas.ts';
import type { NewFile } from './manifest.ts';
import { formatTableSchema } from './table-schema.ts';

/** An artifact with a schema: every kind except printed. */
type Described = Exclude<Artifact, { kind: 'printed' }>;

/**
 * The schema of each file: `schemas/<path>.schema.json` (JSON Schema 2020-12) for JSON, `schemas/<path>.table.json` (Table
 * Schema of Data Package 2) for CSV. `path` has no `.json`: `schemas/economy/roi.schema.json`,
 * `schemas/economy/mic-history.csv.table.json`. The schema of a yearly file also holds for closed years. Others
 * describe the attestations that companions sign, and the events of the ledger.
 */
export function schemaFiles(artifacts: readonly Artifact[], baseUrl: string): NewFile[] {
  const described = artifacts.filter((artifact): artifact is Described => artifact.kind !== 'printed');
  const files = described.flatMap((artifact) => {
    if (artifact.mediaType === 'application/json') return [jsonSchemaFile(artifact, baseUrl)];
    if (artifact.mediaType.startsWith('text/csv')) return [tableSchemaFile(artifact)];
    return [];
  });
  const events = [...eventSchemas(baseUrl)].map(([path, schema]) =>
    sharedSchemaFile(path, formatSchema(schema)),
  );
  const attestation = sharedSchemaFile(ATTESTATION_SCHEMA_PATH, formatAttestationJsonSchema(baseUrl));
  return [...files, attestation, ...events];
}

/** Path of an artifact's schema below the root; null if it has none. */
export function schemaPath({ path, mediaType }: Pick<Artifact, 'path' | 'mediaType'>): string | null {
  if (mediaType === 'application/json') return `schemas/${path.replace(/\.json$/, '')}.schema.json`;
  return mediaType.startsWith('text/csv') ? `schemas/${path}.table.json` : null;
}

function jsonSchemaFile(artifact: Described, baseUrl: string): NewFile {
  const path = schemaPath(artifact)!;
  const {
    $schema,
    title: _,
    description: __,
    ...rest
  } = z.toJSONSchema(artifact.schema, { target: 'draft-2020-12' });
  const { title, description } = artifact;
  // The artifact's description replaces the schema's own.
  const document = { $schema, $id: `${baseUrl}/${path}`, title, description, ...rest };
  return schemaFile(artifact, path, 'application/schema+json', document);
}

function tableSchemaFile(artifact: Described): NewFile {
  return schemaFile(artifact, schemaPath(artifact)!, 'application/json', formatTableSchema(artifact));
}

function schemaFile({ area }: Described, path: string, mediaType: string, document: unknown): NewFile {
  return { ...sharedSchemaFile(path, formatSchema(document)), area, mediaType };
}

/** The schema of something that belongs to no area. */
function sharedSchemaFile(path: string, content: string): NewFile {
  const mediaType = 'application/schema+json';
  return {
    path,
    kind: 'schema',
    area: null,
    restricted: false,
    mediaType,
    rows: null,
    immutable: false,
    content,
  };
}

function formatSchema(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
