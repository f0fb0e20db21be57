import type { TileReader } from '../../../pipeline/ledger/log/tile-reader.ts';
import { LIST_PATH, type SnapshotEntry } from '../../../pipeline/release/format/snapshot-index.ts';
import { mismatchError, retryWhileInconsistent } from '../../../pipeline/verify/findings.ts';
import { headOf, openLog } from '../../../pipeline/verify/log.ts';
import type { PageOrigin } from '../../../pipeline/verify/page-origin.ts';
import type { SignedRelease } from '../../../pipeline/verify/signed-release.ts';
import { readSignedList } from '../../../pipeline/verify/snapshot-list.ts';
import { assertSigned, mostBytes, readSnapshot, storedFiles } from '../../../pipeline/verify/snapshots.ts';
import { NothingToCheck, type Steps } from './steps.ts';
import type { Means } from './verify-release.ts';

/** Two weeks at four snapshots a day; each takes a request or two. */
const MOST_READ = 60;

interface Wanted {
  sha256: string;
  /** When the reader saved the file, ms since 1970: it is likely to be in a snapshot from shortly before. */
  savedAt: number;
  /** Whether the release has a file of this name. Only then does it contradict anything not to find it. */
  isNamed: boolean;
}

interface FoundFile {
  path: string;
  /** Of the snapshot. */
  id: string;
  asOf: string;
}

/** The file with this hash in an earlier snapshot that a known key signed; null: none of the snapshots read has it. */
export async function findInSnapshots(
  steps: Steps,
  wanted: Wanted,
  release: SignedRelease,
  { origin, wait }: Pick<Means, 'origin' | 'wait'>,
): Promise<FoundFile | null> {
  const found = await steps.attempt('In the snapshots', async () => {
    const log = () => steps.say('The snapshot list does not match this release yet; trying again …');
    const { index } = await retryWhileInconsistent({ wait, log }, () => readSignedList(origin, release));
    const reader = await openLog(origin, headOf(release.manifest.log));
    const entries = nearest(index, wanted.savedAt);
    for (const [at, entry] of entries.entries()) {
      steps.say(`Reading snapshot ${entry.id}, ${at + 1} of ${entries.length} …`);
      const file = await findIn(entry, wanted.sha256, { reader, release, origin });
      if (!file) continue;
      const words = `Snapshot ${entry.id} has it as /${file.path}, in a manifest that a known key signed.`;
      return { words, value: file };
    }
    const none = mismatchError(
      `/${LIST_PATH}`,
      'a snapshot with a file of this hash',
      `none in ${entries.length} of ${index.length} on the signed list`,
    );
    throw wanted.isNamed ? none : new NothingToCheck(none);
  });
  return found?.value ?? null;
}

/** The newest snapshot from before the file was saved, and those before it; then the later ones. */
function nearest(index: readonly SnapshotEntry[], savedAt: number): SnapshotEntry[] {
  const [before, after] = [true, false].map((isBefore) =>
    index.filter(({ as_of }) => Date.parse(as_of) <= savedAt === isBefore),
  );
  return [...before!, ...after!.toReversed()].slice(0, MOST_READ);
}

async function findIn(
  entry: SnapshotEntry,
  sha256: string,
  { reader, release, origin }: { reader: TileReader; release: SignedRelease; origin: PageOrigin },
): Promise<FoundFile | null> {
  const { snapshot } = await readSnapshot(origin, entry, reader);
  const file = snapshot.files.find((one) => one.sha256 === sha256);
  if (!file) return null;
  const place = origin.placeOf(entry.index.path);
  const stored = storedFiles(snapshot, mostBytes(release.manifest.files), place);
  const voucher = await assertSigned(snapshot, stored, { keys: release.known, origin, place });
  if (voucher === 'known key') return { path: file.path, id: entry.id, asOf: entry.as_of };
  const found = voucher === 'nobody' ? 'one that nobody signed' : 'one that another key signed';
  throw mismatchError(place, 'a snapshot that a known key signed', found);
}
