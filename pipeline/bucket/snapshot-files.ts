import { z } from 'zod';
import { parseJsonFile } from '../artifacts/format/json.ts';
import { MOST_FILES } from '../release/format/public-manifest.ts';
import { ReleasePath } from '../release/format/release-path.ts';
import { LIST_PATH, SNAPSHOTS } from '../release/format/snapshot-index.ts';
import { BlobOf } from './pointer.ts';

/** Longest text of a list of snapshot files, in bytes: 100,000 files of about 160 bytes. */
export const LONGEST_SNAPSHOT_FILES = 32 << 20;

/**
 * What stands below `snapshots/` beside a release, each file as a blob: the signed list and its page, the index of every listed snapshot,
 * and old histories. A snapshot's data files are blobs too; its index names them with their hashes.
 */
export const SnapshotFiles = z.strictObject({
  format: z.literal('cathedral-snapshot-files/1'),
  /** By path below the service's root, in order: `snapshots/2025-12-01T06Z/index.json`. */
  files: z
    .record(
      ReleasePath.check(z.refine((path) => path.startsWith(`${SNAPSHOTS}/`), `a path below ${SNAPSHOTS}/`)),
      BlobOf,
    )
    .refine((files) => Object.keys(files).length <= MOST_FILES, `at most ${MOST_FILES} files`)
    .refine((files) => LIST_PATH in files, `a blob for ${LIST_PATH}`),
});
export type SnapshotFiles = z.infer<typeof SnapshotFiles>;

/** The same files give the same text, so an unchanged list is the same blob. */
export function formatSnapshotFiles(files: SnapshotFiles['files']): string {
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
  const list = { format: 'cathedral-snapshot-files/1', files: sorted };
  return `${JSON.stringify(SnapshotFiles.parse(list), null, 1)}\n`;
}

/** Of bytes whose hash was compared. Throws release_invalid. */
export function parseSnapshotFiles(text: string, place: string): SnapshotFiles['files'] {
  return parseJsonFile(text, SnapshotFiles, place, 'release_invalid').files;
}
