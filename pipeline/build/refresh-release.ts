import { join } from 'node:path';
import { CathedralError, withHint } from '../errors.ts';
import { linkFile } from '../forms/record-file.ts';
import type { Published } from '../release/format/release.ts';
import { linkSegment } from '../release/history/segment-file.ts';
import type { Staging } from '../release/staging/staging.ts';

/** Links everything of the current release except its proofs, which are signed anew. Throws release_invalid if a file is missing. */
export async function refreshRelease(staging: Staging, { dir, manifest }: Published): Promise<void> {
  const { files, segments, unlisted } = manifest;
  for (const { path, kind } of files) {
    if (kind === 'proof') continue;
    await linkFile(staging, path).catch((cause) => {
      throw withHint(cause, 'run: cathedral build --rebuild');
    });
  }
  for (const [path, list] of Object.entries(segments)) {
    for (const segment of list) await linkSegment(staging.folder, dir, segment);
    staging.segments[path] = list;
  }
  for (const { file, ...blob } of unlisted) {
    if (!(await staging.folder.link(dir, [{ file, bytes: blob.bytes }]))) {
      const expected = `a file of ${blob.bytes} bytes (else run: cathedral build --rebuild)`;
      throw new CathedralError('release_invalid', {
        place: join(dir, file),
        expected,
        found: 'a different file, or none',
      });
    }
    staging.keep(file, blob);
  }
}
