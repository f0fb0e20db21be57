import { inParallel } from '../disk/in-parallel.ts';
import { CathedralError } from '../errors.ts';
import { compareTimestamps } from '../ledger/events/timestamp.ts';
import type { PublicFile, PublicManifest } from '../release/format/public-manifest.ts';
import { SNAPSHOTS } from '../release/format/snapshot-index.ts';
import { formatBytes, formatCount } from '../words/number.ts';
import type { Findings } from './findings.ts';
import { type Origin, readSmall } from './origin.ts';

/** Bytes; the largest live file has 120 kB with the demo ledger. */
const LONGEST_ANSWER = 8 << 20;
/** As ledgers write it. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
/** Progress lines per verification. */
const PROGRESS_LINES = 10;

export interface FilesRead {
  /** Of the files that match the manifest. */
  bytes: number;
  /** Sorted paths that answered with newer data than the release. */
  notProven: string[];
}

/**
 * Compares the chosen files with the manifest. A host is asked twice for what differs: a cache before it may answer with a stale copy
 * once, and fetches the current one meanwhile (RFC 5861).
 */
export async function verifyFiles(
  origin: Origin,
  files: readonly PublicFile[],
  release: PublicManifest,
  { findings, parallel, log }: { findings: Findings; parallel: number; log: (line: string) => void },
): Promise<FilesRead> {
  let [bytes, done, doneBytes] = [0, 0, 0];
  const allBytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const step = Math.ceil(files.length / PROGRESS_LINES);
  const notProven: string[] = [];
  const different: PublicFile[] = [];
  const note = (file: PublicFile, result: 'as listed' | 'not proven' | null) => {
    if (result === 'as listed') bytes += file.bytes;
    if (result === 'not proven') notProven.push(file.path);
  };
  await inParallel(files, parallel, async (file) => {
    const look = findings.attempt(() =>
      verifyFile(origin, file, release).catch((error) => {
        if (origin.disk !== null || !isMismatch(error)) throw error;
        different.push(file);
        return null;
      }),
    );
    note(file, await look);
    done += 1;
    doneBytes += file.bytes;
    if (done % step === 0 && done < files.length)
      log(`files: ${done} of ${files.length}, ${formatBytes(doneBytes)} of ${formatBytes(allBytes)}`);
  });
  if (different.length > 0)
    log(`${formatCount(different.length, 'file differs', 'files differ')} from the manifest; asking again`);
  await inParallel(different, parallel, async (file) => {
    note(file, await findings.attempt(() => verifyFile(origin, file, release)));
  });
  return { bytes, notProven: notProven.sort() };
}

/**
 * A running service answers some paths from newer events than the release's. For these paths alone, the release's bytes are
 * verified in its snapshot, and the answer itself is not proven.
 */
async function verifyFile(
  origin: Origin,
  file: PublicFile,
  { snapshot, as_of }: PublicManifest,
): Promise<'as listed' | 'not proven'> {
  try {
    await origin.verifyFile(file);
    return 'as listed';
  } catch (error) {
    if (!isMismatch(error) || !(await isNewerAnswer(origin, file.path, as_of))) throw error;
    await origin.verifyFile({ ...file, path: `${SNAPSHOTS}/${snapshot}/${file.path}` });
    return 'not proven';
  }
}

function isMismatch(error: unknown): boolean {
  return error instanceof CathedralError && error.code === 'mirror_mismatch';
}

/** Whether a live path answers with JSON whose `timestamp` is later than the release's. */
async function isNewerAnswer(origin: Origin, path: string, asOf: string): Promise<boolean> {
  try {
    if (!(await origin.answersLive(path))) return false;
    const answer = await readSmall(origin, path, { most: LONGEST_ANSWER });
    const { timestamp } = JSON.parse(new TextDecoder().decode(answer?.bytes));
    return (
      typeof timestamp === 'string' && TIMESTAMP.test(timestamp) && compareTimestamps(timestamp, asOf) > 0
    );
  } catch {
    // The caller reports why the file is not as listed.
    return false;
  }
}
