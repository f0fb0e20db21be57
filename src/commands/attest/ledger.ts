import { CathedralError } from '../../../pipeline/errors.ts';
import type { EventOf, LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { LEDGER_START, type Leaf, type LedgerPosition } from '../../../pipeline/ledger/log/leaf.ts';
import { openDirectory } from '../../../pipeline/ledger/reading/directory.ts';
import { readHead } from '../../../pipeline/ledger/reading/head.ts';
import { readSnapshot } from '../../../pipeline/ledger/reading/read-snapshot.ts';
import { isCompanionEvent } from '../../../pipeline/model/companions.ts';
import { apply } from '../../../pipeline/model/fold.ts';
import { emptyState, type State } from '../../../pipeline/model/state.ts';
import type { LocalLedger } from '../../../pipeline/sources/own-ledger.ts';

export interface LedgerRead {
  /** The state that a service that follows this ledger answers from. */
  state: State;
  /** The events that revoked an attestation, oldest first. */
  revocations: EventOf<'companion_revoked'>[];
  /** The end of the last ledger snapshot. */
  sealed: LedgerPosition;
  /** The last event of all; null if there is none. */
  last: LedgerEvent | null;
}

/**
 * Reads and verifies a whole ledger, and folds all of its events, or those up to `until`, ms. Throws what reading a ledger
 * snapshot or a head throws.
 */
export async function readLedger(
  { ledger, verifiers }: LocalLedger,
  until: number | null = null,
): Promise<LedgerRead> {
  const directory = openDirectory(ledger);
  const found: LedgerRead = { state: emptyState(), revocations: [], sealed: LEDGER_START, last: null };
  let files = await directory.snapshots(null);
  do {
    for (const file of files)
      found.sealed = await drain(readSnapshot(file, found.sealed, verifiers), found, until);
    const { behind } = await drain(readHead(directory, found.sealed), found, until);
    if (!behind) return found;
    // A snapshot was sealed meanwhile, perhaps one each time. Without one, the ledger has a gap.
    files = await directory.snapshots(found.sealed.snapshot);
  } while (files.length > 0);
  throw new CathedralError('ledger_order', {
    place: 'head.ndjson:1',
    expected: `seq ${found.sealed.size}, where the snapshots end, or before`,
    found: 'a later number',
  });
}

async function drain<T>(
  batches: AsyncGenerator<Leaf[], T>,
  found: LedgerRead,
  until: number | null,
): Promise<T> {
  for (;;) {
    const batch = await batches.next();
    if (batch.done) return batch.value;
    for (const leaf of batch.value) {
      const { event } = leaf;
      found.last = event;
      if (until !== null && Date.parse(event.timestamp) > until) continue;
      found.state = apply(found.state, leaf);
      if (isCompanionEvent(event) && event.type === 'companion_revoked') found.revocations.push(event);
    }
  }
}
