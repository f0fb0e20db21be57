import { LEDGER_START, type Leaf, type LedgerPosition } from '../log/leaf.ts';
import type { Verifier } from '../notes/note.ts';
import { openDirectory } from './directory.ts';
import { gapBeforeHead, readHead } from './head.ts';
import { readSnapshot } from './read-snapshot.ts';

/** Verified events of a snapshot, or of the head (null). */
export interface LedgerPart {
  leaves: Leaf[];
  snapshot: string | null;
}

/**
 * Reads and verifies a whole ledger: yields the events of its snapshots, then those of its head, in batches. Returns the end of the last
 * snapshot. Throws what reading a ledger snapshot or a head throws.
 */
export async function* readLedger({
  ledger,
  verifiers,
}: {
  /** A folder. */
  ledger: string;
  verifiers: readonly Verifier[];
}): AsyncGenerator<LedgerPart, LedgerPosition> {
  const directory = openDirectory(ledger);
  let sealed: LedgerPosition = LEDGER_START;
  let files = await directory.snapshots(null);
  do {
    for (const file of files) {
      const { position } = yield* partsOf(readSnapshot(file, sealed, verifiers), file.id);
      sealed = position;
    }
    const { behind } = yield* partsOf(readHead(directory, sealed), null);
    if (!behind) return sealed;
    // A snapshot was sealed meanwhile, perhaps one each time. Without one, the ledger has a gap.
    files = await directory.snapshots(sealed.snapshot);
  } while (files.length > 0);
  throw gapBeforeHead(sealed.size, 'a later number');
}

async function* partsOf<End>(
  batches: AsyncGenerator<Leaf[], End>,
  snapshot: string | null,
): AsyncGenerator<LedgerPart, End> {
  let step = await batches.next();
  for (; !step.done; step = await batches.next()) yield { leaves: step.value, snapshot };
  return step.value;
}
