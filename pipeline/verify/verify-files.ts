import { inParallel } from '../release/disk/in-parallel.ts';
import type { PublicFile, PublicManifest } from '../release/format/public-manifest.ts';
import { mismatch } from './mismatch.ts';
import type { Promised } from './origin/fetch-blob.ts';
import { measure } from './origin/measure.ts';
import { readReleased } from './origin/newer-answer.ts';
import type { Origin } from './origin/origin.ts';
import { promisedBody } from './origin/promised-body.ts';
import type { Findings } from './verification.ts';

/** Reads a file to its end. Throws mirror_mismatch where it is not the one that was promised, and mirror_unreachable. */
export async function verifyFile(origin: Origin, { path, sha256, bytes }: Promised): Promise<void> {
  const place = origin.placeOf(path);
  const found = await origin.retrying(path, async () => {
    const opened = await origin.open(path);
    if (opened === null || opened === 'unchanged')
      throw mismatch(place, `a file of ${bytes} bytes`, 'no such file');
    return measure(promisedBody(opened, bytes, place));
  });
  if (found.sha256 !== sha256) throw mismatch(place, `SHA-256 ${sha256}`, found.sha256);
}

/** How often progress is told. */
const STEPS = 10;

/** What was read: `bytes` of the files that are as listed, and the paths of answers that nobody has signed yet. */
export async function verifyFiles(
  origin: Origin,
  files: readonly PublicFile[],
  release: PublicManifest,
  { findings, parallel, log }: { findings: Findings; parallel: number; log: (line: string) => void },
): Promise<{ bytes: number; notProven: string[] }> {
  let bytes = 0;
  let looked = 0;
  const step = Math.ceil(files.length / STEPS);
  const notProven: string[] = [];
  const read = (file: PublicFile) => verifyFile(origin, file);
  await inParallel(files, parallel, async (file) => {
    const state = await findings.attempt(() => readReleased(origin, file, release, read));
    if (state === 'as listed') bytes += file.bytes;
    if (state === 'not proven') notProven.push(file.path);
    looked += 1;
    if (looked % step === 0 && looked < files.length) log(`files: ${looked} of ${files.length}`);
  });
  return { bytes, notProven: notProven.sort() };
}
