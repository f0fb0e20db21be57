import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { inParallel } from '../../release/disk/in-parallel.ts';
import type { Held } from './held.ts';
import { measure } from './measure.ts';

/** A file on the disk, below `folder`. */
export interface Source {
  folder: string;
  file: string;
}

/**
 * Where the files of the release that is held are, by SHA-256. The size finds a truncated file at no cost; `reading` every
 * byte finds the others.
 */
export async function heldBlobs(
  held: Held | null,
  { parallel, reading }: { parallel: number; reading: boolean },
): Promise<{ blobs: Map<string, Source>; isIntact: boolean }> {
  const blobs = new Map<string, Source>();
  if (!held) return { blobs, isIntact: false };
  let intact = 0;
  await inParallel(held.manifest.files, parallel, async ({ path, sha256, bytes }) => {
    const place = join(held.root, path);
    const found = await lstat(place).catch(() => null);
    if (!found?.isFile() || found.size !== bytes) return;
    if (reading && (await measure(createReadStream(place))).sha256 !== sha256) return;
    blobs.set(sha256, { folder: held.root, file: path });
    intact += 1;
  });
  return { blobs, isIntact: intact === held.manifest.files.length };
}
