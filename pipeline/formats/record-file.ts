import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { type Blob, type DraftFile, storedAt } from '../release/format/manifest.ts';
import type { Staging } from '../release/staging/staging.ts';
import { formPath, type Table } from './tables.ts';
import type { PreviousFile } from './write-chunks.ts';

/** Media types of the formats in which a table is published besides its own. */
export const FORM_TYPES = {
  '.ndjson': 'application/x-ndjson',
  '.parquet': 'application/vnd.apache.parquet',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
export type Form = keyof typeof FORM_TYPES;

/** The manifest entry of a table's file in another format. */
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

/** The previous release's file at a public path. Throws release_invalid where it has none. */
export function previousOf(staging: Staging, path: string): PreviousFile {
  const { previous } = staging;
  const before = staging.before(path);
  if (!previous || !before) throw missing(path, 'none');
  const { bytes, sha256 } = before;
  return { path: join(previous.dir, storedAt(before)), bytes, sha256 };
}

/** Records a written file. It has no encodings, since its format compresses its content. */
export function recordFile(
  staging: Staging,
  file: ReturnType<typeof formFile>,
  { bytes, sha256 }: Blob,
): void {
  staging.record({ ...file, bytes, sha256, encodings: {} });
}

/** Keeps a file of the previous release as it is, with its key. Throws release_invalid where it is missing or damaged. */
export async function linkFile(staging: Staging, path: string): Promise<void> {
  const before = staging.before(path);
  if (!before) throw missing(path, 'none');
  if (!(await staging.link(before))) throw await staging.damage(before);
  const { modified: _, ...file } = before;
  staging.claim(path);
  staging.record(file, (await staging.keysBefore()).get(storedAt(file)));
}

function missing(place: string, found: string): CathedralError {
  return new CathedralError('release_invalid', { place, expected: 'a file of the previous release', found });
}
