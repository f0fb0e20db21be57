import { mkdir } from 'node:fs/promises';
import { prepareLog } from '../../../pipeline/build/extend-log.ts';
import type { LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { CompactRange } from '../../../pipeline/ledger/log/merkle.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readSnapshots } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import type { Facts } from '../../../pipeline/release/format/manifest.ts';
import type { Published } from '../../../pipeline/release/format/release.ts';
import { ORIGIN, signer } from '../../ledger/test-signer.ts';

/** The ledger position that a release up to here records. */
export function factsOf({ snapshot, size, range }: LedgerPosition): Facts['ledger'] {
  return { origin: ORIGIN, snapshot: snapshot!, size, root: CompactRange.resume(size, range).root() };
}

/**
 * The part of a run that extends the log. Returns how often the release was committed.
 * `foldFrom`: where the run begins to fold the ledger, so that the log takes its events; null: it folds nothing, and reads the ledger.
 */
export async function publishLog(
  out: string,
  ledger: string,
  position: LedgerPosition,
  previous: LedgerPosition | null = null,
  foldFrom: LedgerPosition | null = null,
): Promise<number> {
  await mkdir(out, { recursive: true });
  let committed = 0;
  const release = previous && ({ manifest: { ledger: factsOf(previous) } } as Published);
  const verifiers = [signer.verifier];
  const directory = openDirectory(ledger);
  await using runLog = await prepareLog({ out, ledger: directory, verifiers, log: () => {} }, release);
  if (foldFrom) {
    const after = await directory.snapshots(foldFrom.snapshot);
    const files = after.filter(({ id }) => id <= position.snapshot!);
    for await (const part of readSnapshots(files, foldFrom, verifiers))
      await runLog.take(part, position.size);
  }
  await runLog.extend(factsOf(position), async () => {
    committed += 1;
  });
  return committed;
}
