import type { Artifact, HistoryArtifact } from '../../artifacts/artifact.ts';
import { ARTIFACTS } from '../../artifacts/table.ts';
import { ATTESTATION_SCHEMA_PATH, formatAttestationJsonSchema } from '../../attestation/json-schema.ts';
import { eventSchemas } from '../../ledger/events/event-schemas.ts';
import { JSON_SCHEMA, toJsonSchema } from '../../ledger/events/json-schema.ts';
import { accompanyingFile, type NewFile } from './manifest.ts';
import { formatTableSchema } from './table-schema.ts';

/** An artifact with a schema: every kind except printed. */
type Described = Exclude<Artifact, { kind: 'printed' }>;

/**
 * The schema of each file: `schemas/<path>.schema.json` (JSON Schema 2020-12) for JSON, `schemas/<path>.table.json` (Table
 * Schema of Data Package 2) for CSV. `path` has no `.json`: `schemas/economy/roi.schema.json`,
 * `schemas/economy/mic-history.csv.table.json`. The schema of a yearly file also holds for closed years. Others
 * describe a line of a history in JSON lines (`schemas/economy/mic-history.ndjson.schema.json`), the attestations that
 * companions sign, and the events of the ledger.
 */
export function schemaFiles(baseUrl: string): readonly NewFile[] {
  return MADE.getOrInsertComputed(baseUrl, makeSchemaFiles);
}

/** By base URL. They follow from the program alone, and take longer to make than all else that a small run renders. */
const MADE = new Map<string, readonly NewFile[]>();

function makeSchemaFiles(baseUrl: string): readonly NewFile[] {
  const described = ARTIFACTS.filter((artifact): artifact is Described => artifact.kind !== 'printed');
  const lines = described.flatMap((artifact) => {
    const path = lineSchemaPath(artifact);
    return path === null ? [] : [lineSchemaFile(artifact as HistoryArtifact, path, baseUrl)];
  });
  const files = described.flatMap((artifact) => {
    if (artifact.mediaType === 'application/json')
      return [jsonSchemaFile(artifact, schemaPath(artifact)!, baseUrl)];
    if (artifact.mediaType.startsWith('text/csv')) return [tableSchemaFile(artifact)];
    return [];
  });
  const events = [...eventSchemas(baseUrl)].map(([path, schema]) =>
    accompanyingFile(path, formatSchema(schema)),
  );
  const attestation = accompanyingFile(
    ATTESTATION_SCHEMA_PATH,
    formatAttestationJsonSchema(baseUrl),
    'application/schema+json',
  );
  return [...files, ...lines, attestation, ...events];
}

/** Path of an artifact's schema below the root; null if it has none. */
export function schemaPath({ path, mediaType }: Pick<Artifact, 'path' | 'mediaType'>): string | null {
  if (mediaType === 'application/json') return `schemas/${path.replace(/\.json$/, '')}.schema.json`;
  return mediaType.startsWith('text/csv') ? `schemas/${path}.table.json` : null;
}

/** Path of the schema of a line of a history in JSON lines; null for other files. */
export function lineSchemaPath(artifact: Artifact): string | null {
  if (artifact.kind !== 'history' || artifact.line === null) return null;
  const { area, tables } = artifact;
  return `schemas/${area}/${tables[0]!.name.replaceAll('_', '-')}.ndjson.schema.json`;
}

function lineSchemaFile(artifact: HistoryArtifact, path: string, baseUrl: string): NewFile {
  const title = `${artifact.title}: a line in JSON lines`;
  return jsonSchemaFile({ ...artifact, title, schema: artifact.line! }, path, baseUrl);
}

function jsonSchemaFile(artifact: Described, path: string, baseUrl: string): NewFile {
  const { title: _, description: __, ...rest } = toJsonSchema(artifact.schema);
  const { title, description } = artifact;
  // The artifact's description replaces the schema's own.
  const document = { $schema: JSON_SCHEMA, $id: `${baseUrl}/${path}`, title, description, ...rest };
  return schemaFile(artifact, path, document);
}

function tableSchemaFile(artifact: Described): NewFile {
  return schemaFile(artifact, schemaPath(artifact)!, formatTableSchema(artifact));
}

function schemaFile({ area }: Described, path: string, document: unknown): NewFile {
  return { ...accompanyingFile(path, formatSchema(document)), area };
}

function formatSchema(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
