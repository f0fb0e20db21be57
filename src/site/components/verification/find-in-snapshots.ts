import type { TileReader } from '../../../../pipeline/ledger/log/tile-reader.ts';
import { LIST_PATH, type SnapshotEntry } from '../../../../pipeline/release/format/snapshot-index.ts';
import { headOf } from '../../../../pipeline/verify/log-head.ts';
import { mismatch } from '../../../../pipeline/verify/mismatch.ts';
import { lookingAgain } from '../../../../pipeline/verify/origin/looking-again.ts';
import { readSmall } from '../../../../pipeline/verify/origin/read-small.ts';
import { readSignedList } from '../../../../pipeline/verify/signed-list.ts';
import { readSnapshot, storedFiles } from '../../../../pipeline/verify/snapshot-list.ts';
import { assertSigned } from '../../../../pipeline/verify/snapshot-signature.ts';
import { openLog } from './open-log.ts';
import type { PageOrigin } from './page-origin.ts';
import { NothingToCheck, type Steps } from './steps.ts';
import type { Means, VerifiedRelease } from './verify-release.ts';

/** Two weeks at four a day: each is a request or two. */
const MOST_READ = 60;

interface Wanted {
  sha256: string;
  /** When the file was saved here, ms since 1970: it is likely the newest of then. */
  savedAt: number;
  /** Whether the release has a file of its name: only then is not finding it a contradiction. */
  isNamed: boolean;
}

interface FoundFile {
  path: string;
  /** Of the snapshot. */
  id: string;
  asOf: string;
}

/** The file of an earlier time with this hash, which a key that is known has signed; null: in none of those that were read. */
export async function findInSnapshots(
  steps: Steps,
  wanted: Wanted,
  release: VerifiedRelease,
  { origin, wait }: Pick<Means, 'origin' | 'wait'>,
): Promise<FoundFile | null> {
  const name = 'In the snapshots';
  const found = await steps.attempt(name, async () => {
    const log = () => steps.say('The list of snapshots is not of this release yet; looking again …');
    const { index } = await lookingAgain({ wait, log }, () => readSignedList(origin, release));
    const reader = await openLog(origin, headOf(release.manifest.log));
    const entries = nearest(index, wanted.savedAt);
    for (const [at, entry] of entries.entries()) {
      steps.say(`Reading snapshot ${entry.id}, ${at + 1} of ${entries.length} …`);
      const file = await findIn(entry, wanted.sha256, { reader, release, origin });
      if (!file) continue;
      const words = `Snapshot ${entry.id} has it as /${file.path}, in a manifest that a key which is known here has signed.`;
      return { words, value: file };
    }
    const none = mismatch(
      `/${LIST_PATH}`,
      'a snapshot with a file of this hash',
      `none in ${entries.length} of ${index.length}, which the signed list has`,
    );
    throw wanted.isNamed ? none : new NothingToCheck(none);
  });
  return found?.value ?? null;
}

/** The newest of when the file was saved, and those before it; then those after it. */
function nearest(index: readonly SnapshotEntry[], savedAt: number): SnapshotEntry[] {
  const [before, after] = [true, false].map((isBefore) =>
    index.filter(({ as_of }) => Date.parse(as_of) <= savedAt === isBefore),
  );
  return [...before!, ...after!.toReversed()].slice(0, MOST_READ);
}

async function findIn(
  entry: SnapshotEntry,
  sha256: string,
  { reader, release, origin }: { reader: TileReader; release: VerifiedRelease; origin: PageOrigin },
): Promise<FoundFile | null> {
  const { snapshot } = await readSnapshot(origin, entry, reader);
  const file = snapshot.files.find((one) => one.sha256 === sha256);
  if (!file) return null;
  const place = origin.placeOf(entry.index.path);
  const read = async ({ url, bytes }: { url: string; bytes: number }) => {
    const found = await readSmall(origin, url, { exactly: bytes });
    if (found) return found.bytes;
    throw mismatch(origin.placeOf(url), `a file of ${bytes} bytes`, 'no such file');
  };
  const keys = release.known;
  const voucher = await assertSigned(snapshot, storedFiles(snapshot, release.manifest, place), {
    keys,
    read,
    place,
  });
  if (voucher === 'known') return { path: file.path, id: entry.id, asOf: entry.as_of };
  throw mismatch(
    place,
    'a snapshot that a key which is known here has signed',
    `one that ${voucher === 'nobody' ? 'nobody' : 'another key'} has signed`,
  );
}
