import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublicManifest } from '../release/format/public-manifest.ts';
import { OLD_HISTORIES, type SnapshotIndex } from '../release/format/snapshot-index.ts';
import { mismatch } from './mismatch.ts';
import type { Promised } from './origin/fetch-blob.ts';
import type { Origin } from './origin/origin.ts';
import { mostBytesBeside } from './snapshot-list.ts';

/** Named by their SHA-256, which is all that is signed of them. */
const PATH = new RegExp(`^${OLD_HISTORIES}/([0-9a-f]{64})$`);

/**
 * The histories that are kept as they were before they were written anew, and that are not in the folder yet. Throws what
 * `oldHistoryLength` throws.
 */
export async function promisedHistories(
  origin: Origin,
  folder: string,
  index: SnapshotIndex,
  release: PublicManifest,
): Promise<Promised[]> {
  const paths = new Set(index.flatMap(({ histories = {} }) => Object.values(histories)));
  const promised: Promised[] = [];
  for (const path of paths) {
    if (path === null) continue;
    const sha256 = hashIn(path, origin.placeOf(path));
    if (await stat(join(folder, path)).catch(() => null)) continue;
    promised.push({ path, sha256, bytes: await oldHistoryLength(origin, path, release) });
  }
  return promised;
}

function hashIn(path: string, place: string): string {
  const [, sha256] = PATH.exec(path) ?? [];
  if (sha256 !== undefined) return sha256;
  throw mismatch(place, `a file below ${OLD_HISTORIES}/ named by its SHA-256`, path);
}

/**
 * Bytes of such a history. Only the origin says how many: so no more than a snapshot may have. Throws mirror_mismatch and
 * mirror_unreachable.
 */
export async function oldHistoryLength(
  origin: Origin,
  path: string,
  release: PublicManifest,
): Promise<number> {
  const place = origin.placeOf(path);
  hashIn(path, place);
  const bytes = await lengthOf(origin, path);
  const most = mostBytesBeside(release);
  if (bytes !== null && bytes <= most) return bytes;
  const found = bytes === null ? 'one that does not say' : `${bytes}`;
  throw mismatch(place, `a file of at most ${most} bytes`, found);
}

/** As an origin announces it; null where it does not. */
async function lengthOf(origin: Origin, path: string): Promise<number | null> {
  return origin.retrying(path, async () => {
    const opened = await origin.open(path);
    if (opened === null || opened === 'unchanged')
      throw mismatch(origin.placeOf(path), 'a file', 'no such file');
    // Its length came with its beginning.
    for await (const _ of opened.body) break;
    return opened.bytes;
  });
}
