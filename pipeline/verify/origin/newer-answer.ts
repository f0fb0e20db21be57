import { CathedralError } from '../../errors.ts';
import { compareTimestamps } from '../../ledger/timestamp.ts';
import type { PublicFile, PublicManifest } from '../../release/format/public-manifest.ts';
import { SNAPSHOTS } from '../../release/format/snapshot-index.ts';
import type { Origin } from './origin.ts';
import { readSmall } from './read-small.ts';

/** The largest live file has 120 kB with the sample ledger. */
const LONGEST_ANSWER = 8 << 20;
/** As ledgers write it. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A release that files are of. */
export type FilesRelease = Pick<PublicManifest, 'snapshot' | 'as_of'>;

/**
 * Reads a file of a release by `read`, which throws where the bytes are not those of the release. A running service answers
 * its live paths from newer events: of those, and of nothing else, the release's bytes are read from its snapshot then, and
 * the answer itself is `not proven`. Throws what `read` throws.
 */
export async function readReleased<File extends Pick<PublicFile, 'path'>>(
  origin: Origin,
  file: File,
  { snapshot, as_of }: FilesRelease,
  read: (file: File) => Promise<void>,
): Promise<'as listed' | 'not proven'> {
  try {
    await read(file);
    return 'as listed';
  } catch (error) {
    const isOther = error instanceof CathedralError && error.code === 'mirror_mismatch';
    if (!isOther || !(await isNewerAnswer(origin, file.path, as_of))) throw error;
    await read({ ...file, path: `${SNAPSHOTS}/${snapshot}/${file.path}` });
    return 'not proven';
  }
}

/** The answer is JSON with a `timestamp` after the release's, from a host that answers from newer events. */
async function isNewerAnswer(origin: Origin, path: string, asOf: string): Promise<boolean> {
  // Loaded here: it takes longer than a small verification, and is seldom needed.
  const { LIVE_PATHS } = await import('../../artifacts/table.ts');
  if (!LIVE_PATHS.includes(path)) return false;
  try {
    if (!(await origin.answersLive())) return false;
    const answer = await readSmall(origin, path, { most: LONGEST_ANSWER });
    const { timestamp } = JSON.parse(new TextDecoder().decode(answer?.bytes));
    return (
      typeof timestamp === 'string' && TIMESTAMP.test(timestamp) && compareTimestamps(timestamp, asOf) > 0
    );
  } catch {
    // Why the file is not as listed is known already.
    return false;
  }
}
