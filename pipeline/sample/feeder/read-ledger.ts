import type { LedgerDirectory } from '../../ledger/directory.ts';
import { readHead } from '../../ledger/head.ts';
import { LEDGER_START, type Leaf, type LedgerPosition } from '../../ledger/leaf.ts';
import type { Verifier } from '../../ledger/note.ts';
import { readSnapshot } from '../../ledger/read-snapshot.ts';
import { apply } from '../../model/fold.ts';
import { emptyState, type State } from '../../model/state.ts';

export interface LedgerOnDisk {
  /** The end of the last snapshot. */
  sealed: LedgerPosition;
  /** With the head folded in. */
  state: State;
  /** Salts of the events in the last second: they tell whether an event of that second is there already. */
  lastSalts: Set<string>;
}

/** Reads and verifies a whole ledger. Throws what reading a snapshot or a head throws. */
export async function readLedger(ledger: LedgerDirectory, verifiers: Verifier[]): Promise<LedgerOnDisk> {
  const found: LedgerOnDisk = { sealed: LEDGER_START, state: emptyState(), lastSalts: new Set() };
  for (const file of await ledger.snapshots(null)) {
    found.sealed = await drain(readSnapshot(file, found.sealed, verifiers), found);
  }
  await drain(readHead(ledger, found.sealed), found);
  return found;
}

async function drain<T>(batches: AsyncGenerator<Leaf[], T>, found: LedgerOnDisk): Promise<T> {
  for (;;) {
    const batch = await batches.next();
    if (batch.done) return batch.value;
    for (const leaf of batch.value) {
      if (leaf.event.timestamp !== found.state.asOf) found.lastSalts.clear();
      found.lastSalts.add(leaf.event.salt);
      found.state = apply(found.state, leaf);
    }
  }
}
