import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublicManifest } from '../publish/public-manifest.ts';
import { OLD_HISTORIES, type SnapshotIndex } from '../publish/snapshot-index.ts';
import type { Promised } from './fetch-blob.ts';
import { mismatch } from './mismatch.ts';
import type { Origin } from './origin.ts';

/** Named by their SHA-256, which is all that is said of them. */
const PATH = new RegExp(`^${OLD_HISTORIES}/([0-9a-f]{64})$`);

/**
 * The histories that are kept as they were before they were written anew, and that are not in the folder yet; how long each is
 * says the origin. Throws mirror_mismatch, also where one is longer than twice the release, and mirror_unreachable.
 */
export async function promisedHistories(
  origin: Origin,
  folder: string,
  index: SnapshotIndex,
  { files }: PublicManifest,
): Promise<Promised[]> {
  const most = 2 * files.reduce((sum, { bytes }) => sum + bytes, 0);
  const paths = new Set(index.flatMap(({ histories = {} }) => Object.values(histories)));
  const promised: Promised[] = [];
  for (const path of paths) {
    if (path === null) continue;
    const place = origin.placeOf(path);
    const [, sha256] = PATH.exec(path) ?? [];
    if (sha256 === undefined)
      throw mismatch(place, `a file below ${OLD_HISTORIES}/ named by its SHA-256`, path);
    if (await stat(join(folder, path)).catch(() => null)) continue;
    const bytes = await lengthOf(origin, path);
    if (bytes === null || bytes > most)
      throw mismatch(
        place,
        `a file of at most ${most} bytes`,
        bytes === null ? 'one that does not say' : `${bytes}`,
      );
    promised.push({ path, sha256, bytes });
  }
  return promised;
}

/** As an origin announces it; null where it does not. */
export async function lengthOf(origin: Origin, path: string): Promise<number | null> {
  return origin.retrying(path, async () => {
    const opened = await origin.open(path);
    if (opened === null || opened === 'unchanged')
      throw mismatch(origin.placeOf(path), 'a file', 'no such file');
    // Its length came with its beginning.
    for await (const _ of opened.body) break;
    return opened.bytes;
  });
}
