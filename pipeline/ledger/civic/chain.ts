import { compareTimestamps } from '../timestamp-order.ts';
import { CHAIN_START } from './remote-event.ts';

/** What binds an event to its predecessor. */
export interface Link {
  event_id: string;
  event_hash: string;
  previous_hash: string;
  /** In the ledger's form, UTC. */
  timestamp: string;
}

/**
 * Imported events, in the order of the ledger: all of them, or the last so many. So whatever follows one of them is among
 * them too. `first`, the first of all, is known only as what a second beginning forks from.
 */
export class Chain {
  readonly links: Link[] = [];
  readonly #byHash = new Map<string, Link>();
  readonly #byId = new Map<string, Link>();
  readonly #firstAfter = new Map<string, Link>();

  constructor(links: Iterable<Link> = [], first?: Link) {
    if (first) this.#firstAfter.set(CHAIN_START, first);
    for (const link of links) this.add(link);
  }

  add(link: Link): void {
    this.links.push(link);
    this.#byHash.set(link.event_hash, link);
    this.#byId.set(link.event_id, link);
    if (!this.#firstAfter.has(link.previous_hash)) this.#firstAfter.set(link.previous_hash, link);
  }

  withHash(hash: string): Link | undefined {
    return this.#byHash.get(hash);
  }

  withId(id: string): Link | undefined {
    return this.#byId.get(id);
  }

  /** The first event imported. */
  get first(): Link | undefined {
    return this.#firstAfter.get(CHAIN_START);
  }

  /** The event that was first to follow the one with this hash. */
  firstAfter(hash: string): Link | undefined {
    return this.#firstAfter.get(hash);
  }
}

/**
 * Links in the order of their import: by time and event_id, but none before its predecessor. Those whose predecessor
 * is neither among them nor known are left out, and with them all that follows those.
 */
export function inChainOrder<T extends Link>(links: Iterable<T>, isKnown: (hash: string) => boolean): T[] {
  const placed = new Set<string>();
  const waiting = new Map<string, T[]>();
  const order: T[] = [];
  const place = (first: T) => {
    // A stack, not recursion: a clock that went back makes long chains wait.
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
