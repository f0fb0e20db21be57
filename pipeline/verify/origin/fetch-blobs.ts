import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { asDiskErrors } from '../../release/disk/durable.ts';
import { inParallel } from '../../release/disk/in-parallel.ts';
import { fetchBlob, type Promised } from './fetch-blob.ts';
import type { Source } from './held-blobs.ts';
import { type FilesRelease, readReleased } from './newer-answer.ts';
import type { Origin } from './origin.ts';

export interface Wanted extends Promised {
  /** The release that the file is of, where it is at the service's own path. */
  release?: FilesRelease;
}

export interface FetchWork {
  origin: Origin;
  /** Blobs are kept here, named by their SHA-256, until they have a place of their own. */
  staging: string;
  parallel: number;
  /** Told now and then; `bytes` are of whole files. */
  progress: (done: { files: number; bytes: number }, all: { files: number; bytes: number }) => void;
}

/** How often progress is told. */
const STEPS = 10;

/** Fetches what is not in `blobs` yet, each content once, and adds where it is. Gives how much that was. */
export async function fetchBlobs(
  wanted: Iterable<Wanted>,
  blobs: Map<string, Source>,
  { origin, staging, parallel, progress }: FetchWork,
): Promise<{ files: number; bytes: number }> {
  const missing = new Map<string, Wanted>();
  for (const one of wanted) if (!blobs.has(one.sha256)) missing.set(one.sha256, one);
  const all = { files: missing.size, bytes: sum(missing.values()) };
  const done = { files: 0, bytes: 0 };
  if (all.files === 0) return all;
  await asDiskErrors(staging, () => mkdir(staging, { recursive: true }));
  progress(done, all);
  await inParallel(missing.values(), parallel, async (one) => {
    const target = join(staging, one.sha256);
    const fetch = (file: Wanted) => fetchBlob(origin, file, target);
    await (one.release ? readReleased(origin, one, one.release, fetch) : fetch(one));
    blobs.set(one.sha256, { folder: staging, file: one.sha256 });
    const before = step(done.bytes, all.bytes);
    done.files += 1;
    done.bytes += one.bytes;
    if (step(done.bytes, all.bytes) > before && done.files < all.files) progress(done, all);
  });
  return all;
}

function step(done: number, all: number): number {
  return Math.floor((STEPS * done) / Math.max(all, 1));
}

function sum(files: Iterable<Promised>): number {
  let bytes = 0;
  for (const file of files) bytes += file.bytes;
  return bytes;
}
