import { nextSlotId, slotId, slotTime } from '../slot.ts';

/** Id of the snapshot that an event belongs to: the first slot boundary after its ledger timestamp and after `sealed`. */
export function snapshotOf(timestamp: string, sealed: string | null): string {
  const id = nextSlotId(slotId(Date.parse(timestamp)));
  return sealed !== null && id <= sealed ? nextSlotId(sealed) : id;
}

/** Unix ms from which a snapshot can be sealed: all of its events are earlier. */
export function snapshotEnd(id: string): number {
  return slotTime(id);
}
