import { CathedralError } from '../errors.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { snapshotFile } from '../ledger/reading/directory.ts';
import { readCheckpoint } from '../ledger/reading/read-checkpoint.ts';
import type { Facts } from '../release/format/manifest.ts';
import { counted } from '../words/number.ts';

/** What to do if a ledger is not the one that was published, for messages. */
const LEDGER_HINT =
  'nothing is published: restore the whole ledger, or publish a different one at a different address';

/**
 * The ledger's signed checkpoint of the events that a release is made from. Throws release_refused if it is missing or differs, and
 * ledger_signature or ledger_corrupt if it is damaged.
 */
export function checkpointOf(
  ledger: string,
  { snapshot, origin, size, root }: Facts['ledger'],
  verifiers: readonly Verifier[],
): string {
  const { checkpoint, note } = readOrRefuse(ledger, snapshot, verifiers);
  if (checkpoint.origin === origin && checkpoint.size === size && checkpoint.root === root) return note;
  throw refusal(
    snapshot,
    `${origin}, ${counted(size, 'event')}, root ${root}, as it was published`,
    `${checkpoint.origin}, ${counted(checkpoint.size, 'event')}, root ${checkpoint.root}`,
  );
}

function readOrRefuse(ledger: string, snapshot: string, verifiers: readonly Verifier[]) {
  try {
    return readCheckpoint(snapshotFile(ledger, snapshot), verifiers);
  } catch (error) {
    if (!(error instanceof CathedralError) || error.code !== 'ledger_unreadable') throw error;
    throw refusal(snapshot, 'the last published snapshot', error.found, error);
  }
}

function refusal(snapshot: string, expected: string, found: string, cause?: unknown): CathedralError {
  const place = `snapshots/${snapshot}.checkpoint`;
  return new CathedralError('release_refused', {
    place,
    expected: `${expected} (${LEDGER_HINT})`,
    found,
    cause,
  });
}
