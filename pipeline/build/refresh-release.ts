import type { Published } from '../release/format/release.ts';
import { linkSegment } from '../release/history/segment-file.ts';
import type { Staging } from '../release/staging/staging.ts';
import { damageError } from '../release/staging/staging-folder.ts';

/** Links everything of the current release except its proofs, which are signed anew. Throws release_invalid if a file is damaged. */
export async function refreshRelease(staging: Staging, { dir, manifest }: Published): Promise<void> {
  const { files, segments, unlisted } = manifest;
  for (const { path, kind } of files) if (kind !== 'proof') await staging.carry(path);
  for (const [path, list] of Object.entries(segments)) {
    const linked = list.map((segment) => linkSegment(staging.folder, dir, segment));
    staging.segments[path] = await Promise.all(linked);
  }
  for (const kept of unlisted) {
    if (!(await staging.folder.link(dir, [kept]))) throw await damageError(dir, [kept]);
    staging.keep(kept.file, kept);
  }
}
