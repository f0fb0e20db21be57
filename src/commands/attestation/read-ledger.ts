import { openDirectory } from '../../../pipeline/ledger/directory.ts';
import type { EventOf } from '../../../pipeline/ledger/event.ts';
import { readHead } from '../../../pipeline/ledger/head.ts';
import { LEDGER_START, type Leaf, type LedgerPosition } from '../../../pipeline/ledger/leaf.ts';
import { readSnapshot } from '../../../pipeline/ledger/read-snapshot.ts';
import {
  applyCompanionEvent,
  type CompanionState,
  isCompanionEvent,
} from '../../../pipeline/model/companions.ts';
import type { LocalLedger } from '../ledger-source.ts';

export interface LedgerRead extends CompanionState {
  /** Each event that revoked one, oldest first. */
  revocations: EventOf<'companion_revoked'>[];
  /** The end of the last snapshot. */
  sealed: LedgerPosition;
  /** The last event of all; null where there is none. */
  last: Leaf['event'] | null;
}

/**
 * Reads and verifies a whole ledger, and what it says of attestations: all of it, or as of `until`, ms. Throws what reading a
 * snapshot or a head throws.
 */
export async function readLedger({ ledger, verifiers }: LocalLedger, until: number): Promise<LedgerRead> {
  const directory = openDirectory(ledger);
  const found: LedgerRead = {
    companions: {},
    unattested: {},
    remembered: {},
    revocations: [],
    sealed: LEDGER_START,
    last: null,
  };
  for (const file of await directory.snapshots(null))
    found.sealed = await drain(readSnapshot(file, found.sealed, verifiers), found, until);
  await drain(readHead(directory, found.sealed), found, until);
  return found;
}

async function drain<T>(batches: AsyncGenerator<Leaf[], T>, found: LedgerRead, until: number): Promise<T> {
  for (;;) {
    const batch = await batches.next();
    if (batch.done) return batch.value;
    for (const { event } of batch.value) {
      found.last = event;
      if (!isCompanionEvent(event) || Date.parse(event.timestamp) > until) continue;
      applyCompanionEvent(found, event);
      if (event.type === 'companion_revoked') found.revocations.push(event);
    }
  }
}
