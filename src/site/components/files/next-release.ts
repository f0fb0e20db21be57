import { isSlotId, nextSlotId, slotId, slotTimestamp } from '../../../../pipeline/ledger/slot.ts';
import type { DraftManifest } from '../../../../pipeline/release/format/manifest.ts';

/**
 * When the release after this one is due, ISO 8601: the slot after its snapshot's, and where a snapshot is not named for a
 * slot, the one after its last event.
 */
export function nextRelease({ ledger, timestamp }: Pick<DraftManifest, 'ledger' | 'timestamp'>): string {
  const slot = isSlotId(ledger.snapshot) ? ledger.snapshot : slotId(Date.parse(timestamp));
  return slotTimestamp(nextSlotId(slot));
}
