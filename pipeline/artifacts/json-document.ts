import type * as z from 'zod/mini';
import { areaOf, type DocumentArtifact, type View } from './artifact.ts';
import { formatJson, type Writable } from './format/json.ts';

type Words = Pick<DocumentArtifact, 'path' | 'title' | 'description' | 'limits'>;
type Exceptions = Pick<
  DocumentArtifact,
  'followsFrom' | 'restricted' | 'example' | 'refresh' | 'liveValues' | 'tables' | 'schemaChanges'
>;

interface JsonDocument<S extends z.ZodMiniType> extends Words, Partial<Exceptions> {
  schema: S;
  /** What the file says. Amounts are exact decimals. */
  value(view: View): Writable<z.output<S>>;
}

/** A JSON file that is rendered whole. Unless it says otherwise, it is public, comes with each release and holds no table. */
export function jsonDocument<S extends z.ZodMiniType>({
  value,
  ...described
}: JsonDocument<S>): DocumentArtifact & { schema: S; mediaType: 'application/json' } {
  const { path, schema } = described;
  return {
    kind: 'document',
    area: areaOf(path),
    mediaType: 'application/json',
    restricted: false,
    refresh: 'release',
    tables: [],
    ...described,
    render: (view) => formatJson(schema, value(view), path),
  };
}
