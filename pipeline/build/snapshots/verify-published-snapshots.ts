import { availableParallelism } from 'node:os';
import type { Finding } from '../../errors.ts';
import { parseVerifierKey } from '../../ledger/notes/note.ts';
import { readLocalRelease } from '../../mirror/mirror-state.ts';
import { publicFiles } from '../../release/format/proof-files.ts';
import { readCurrent } from '../../release/format/release.ts';
import { LIST_SIGNATURE_PATH, SNAPSHOTS } from '../../release/format/snapshot-index.ts';
import { Findings, mismatchError } from '../../verify/findings.ts';
import { FolderOrigin } from '../../verify/folder-origin.ts';
import { verifyNamesOfSnapshot } from '../../verify/names.ts';
import { readSignedList } from '../../verify/snapshot-list.ts';
import { verifySnapshotFiles } from '../../verify/snapshots.ts';
import { placeBelow } from '../check-release.ts';
import { readIndex, readPublished } from './read-published.ts';

/**
 * Verifies one snapshot of OUT, listed or not, even before the first release. Its manifest may be signed by a retired key. The
 * histories of a snapshot that is ahead of the current release are not verified: their rows are not published yet.
 */
export async function verifySnapshot(out: string, id: string): Promise<Finding[]> {
  return findingsIn(out, async (origin, findings) => {
    const { snapshot, entry } = await readPublished(out, id);
    const current = await readCurrent(out);
    const isAhead = snapshot.log.size > (current?.manifest.ledger.size ?? 0);
    const listed = (await readIndex(out))?.find((one) => one.id === id)?.histories ?? {};
    const ends = snapshot.files.flatMap((file) => ('range' in file ? [file.range.of] : []));
    const histories = isAhead ? Object.fromEntries(ends.map((of) => [of, null])) : listed;
    const verified = await verifySnapshotFiles(
      snapshot,
      { ...entry, histories },
      {
        origin,
        findings,
        parallel: availableParallelism(),
        files: current ? publicFiles(current.manifest) : [],
        known: [],
        most: Number.POSITIVE_INFINITY,
        histories: new Map(),
        later: null,
      },
    );
    await verifyNamesOfSnapshot({ entry, ...verified }, { origin, findings, disk: origin });
  });
}

/** Verifies the snapshot list of the current release, with the keys that the release names. */
export async function verifyList(out: string): Promise<Finding[]> {
  return findingsIn(out, async (origin) => {
    const current = await readLocalRelease(out);
    if (current) {
      const { manifest } = current;
      await readSignedList(origin, { manifest, keys: manifest.keys.map(parseVerifierKey) });
    } else if ((await origin.list(SNAPSHOTS)).files.includes('index.json.sig')) {
      const expected = 'no such file beside an unsigned release';
      throw mismatchError(origin.placeOf(LIST_SIGNATURE_PATH), expected, 'a file');
    }
  });
}

async function findingsIn(
  out: string,
  work: (origin: FolderOrigin, findings: Findings) => Promise<void>,
): Promise<Finding[]> {
  const findings = new Findings();
  await findings.attempt(async () => work(await FolderOrigin.at(out), findings));
  return findings.all.map((finding) => ({ ...finding, place: placeBelow(out, finding.place) }));
}
