import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { type Blob, type DraftFile, storedAt } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';
import { formPath, type Table } from './tables.ts';
import type { Source } from './write-chunks.ts';

/** Media types of the forms that tables are published in besides their own. */
export const FORM_TYPES = {
  '.ndjson': 'application/x-ndjson',
  '.parquet': 'application/vnd.apache.parquet',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
export type Form = keyof typeof FORM_TYPES;

/** What the manifest says of a table's file in another form. */
export function formFile(
  table: Table,
  form: Form,
  more: { path?: string; rows: number; immutable?: boolean },
): Omit<DraftFile, 'bytes' | 'sha256' | 'encodings'> {
  const path = more.path ?? formPath(table, form);
  const { area } = table.artifact;
  const { rows, immutable = false } = more;
  return { path, kind: 'data', area, restricted: false, media_type: FORM_TYPES[form], rows, immutable };
}

/** The file of the release before at a public path. */
export function previousOf(staging: Staging, path: string): Source | null {
  const { previous } = staging;
  const before = staging.before(path);
  if (!previous || !before) return null;
  const { bytes, sha256 } = before;
  return { path: join(previous.dir, storedAt(before)), bytes, sha256 };
}

/** Records a file that has been written, and is not compressed: it is packed inside. */
export function recordFile(
  staging: Staging,
  file: ReturnType<typeof formFile>,
  { bytes, sha256 }: Blob,
): void {
  staging.record({ ...file, bytes, sha256, encodings: {} });
}

/** Takes a file of the release before over as it is. Throws release_invalid where it is not there. */
export async function linkFile(staging: Staging, path: string): Promise<void> {
  const before = staging.before(path);
  const encodings = before && (await staging.link(before));
  if (!before || !encodings) {
    const fault = { place: path, expected: 'a file of the release before', found: 'none of that size' };
    throw new CathedralError('release_invalid', fault);
  }
  const { modified: _, ...file } = before;
  staging.claim(path);
  staging.record(file);
}
