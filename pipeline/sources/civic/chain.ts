import { compareTimestamps } from '../../ledger/events/timestamp.ts';
import { CHAIN_START } from './remote-event.ts';

/** An event's link to its predecessor. */
export interface Link {
  event_id: string;
  event_hash: string;
  previous_hash: string;
  /** In the ledger's form, UTC. */
  timestamp: string;
}

/**
 * Links in import order: by time and event_id, but never before their predecessor. Leaves out those whose predecessor is neither
 * among them nor known, and everything that follows those.
 */
export function inChainOrder<T extends Link>(links: Iterable<T>, isKnown: (hash: string) => boolean): T[] {
  const placed = new Set<string>();
  const waiting = new Map<string, T[]>();
  const order: T[] = [];
  const place = (first: T) => {
    // A stack rather than recursion: a clock set back can make long chains wait.
    const ready = [first];
    for (let link = ready.pop(); link; link = ready.pop()) {
      order.push(link);
      placed.add(link.event_hash);
      const followers = waiting.get(link.event_hash);
      if (followers) ready.push(...followers.reverse());
      waiting.delete(link.event_hash);
    }
  };
  for (const link of [...links].sort(byTime)) {
    const { previous_hash: before } = link;
    if (before === CHAIN_START || placed.has(before) || isKnown(before)) place(link);
    else waiting.getOrInsertComputed(before, () => []).push(link);
  }
  return order;
}

function byTime(a: Link, b: Link): number {
  return compareTimestamps(a.timestamp, b.timestamp) || (a.event_id < b.event_id ? -1 : 1);
}
