import type { Artifact } from '../artifacts/artifact.ts';
import type { NewFile } from '../release/staging/staging.ts';

/** An artifact's file for the staging folder. */
export function dataFile(
  { path, area, restricted, mediaType }: Artifact,
  content: string | Uint8Array,
): NewFile {
  return { path, kind: 'data', area, restricted, mediaType, content, rows: null, immutable: false };
}
