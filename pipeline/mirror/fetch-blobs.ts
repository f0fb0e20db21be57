import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CathedralError } from '../errors.ts';
import { guarded } from '../publish/durable.ts';
import { inParallel } from '../publish/in-parallel.ts';
import { fetchBlob, type Promised } from './fetch-blob.ts';
import type { Source } from './held-blobs.ts';
import type { Origin } from './origin.ts';

/** A file, and where else its bytes may be. */
export interface Wanted extends Promised {
  /** Another path with the same bytes, where the first may have newer ones. */
  or?: string;
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
  await guarded(staging, () => mkdir(staging, { recursive: true }));
  progress(done, all);
  await inParallel(missing.values(), parallel, async (one) => {
    await fetchEither(origin, one, join(staging, one.sha256));
    blobs.set(one.sha256, { folder: staging, file: one.sha256 });
    const before = step(done.bytes, all.bytes);
    done.files += 1;
    done.bytes += one.bytes;
    if (step(done.bytes, all.bytes) > before && done.files < all.files) progress(done, all);
  });
  return all;
}

/** A server may answer some paths from newer data than the release; its snapshot has what the release has. */
async function fetchEither(origin: Origin, { or, ...first }: Wanted, target: string): Promise<void> {
  try {
    await fetchBlob(origin, first, target);
  } catch (error) {
    const isOther = error instanceof CathedralError && error.code !== 'publish_failed';
    if (or === undefined || !isOther) throw error;
    await fetchBlob(origin, { ...first, path: or }, target).catch(() => {
      throw error;
    });
  }
}

function step(done: number, all: number): number {
  return Math.floor((STEPS * done) / Math.max(all, 1));
}

function sum(files: Iterable<Promised>): number {
  let bytes = 0;
  for (const file of files) bytes += file.bytes;
  return bytes;
}
