import { clientNetwork } from '../limits/client-network.ts';
import type { Access } from './entry.ts';

export interface RefusalLimits {
  /** Entries of its own that a network gets in an hour. */
  perNetwork: number;
  /** Entries of their own that all networks get in an hour. */
  inAll: number;
}

/** With the short form of such an entry, at most 6 MB an hour, and 0.6 MB for one network. */
export const REFUSAL_LIMITS: RefusalLimits = { perNetwork: 600, inAll: 6_000 };

/** Stands for a path in an entry that is of several requests; no request has a path without a slash. */
export const SUMMARY_PATH = '*';
const HOUR_MS = 60 * 60 * 1_000;

/** Refused requests that have no entry of their own yet. */
interface Sum {
  first: Access;
  last: Access;
  count: number;
  /** Null where they came from several. */
  network: string | null;
}

/**
 * Who may not read a path can still ask for it as often as the network carries it, and nothing limits those requests. So refused
 * requests beyond a budget are not written one by one: they are counted, and the count is written as one entry.
 */
export class Refusals {
  readonly #limits: RefusalLimits;
  #hour = 0;
  #own = new Map<string, number>();
  #written = 0;
  #sum: Sum | null = null;

  constructor(limits: RefusalLimits) {
    this.#limits = limits;
  }

  /** Whether a refused request gets an entry of its own. Otherwise it is counted here. */
  take(access: Access): boolean {
    const hour = Math.floor(access.time / HOUR_MS);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#own = new Map();
      this.#written = 0;
    }
    const network = networkOf(access.client);
    const own = this.#own.get(network) ?? 0;
    if (own < this.#limits.perNetwork && this.#written < this.#limits.inAll) {
      this.#own.set(network, own + 1);
      this.#written += 1;
      return true;
    }
    this.#add({ first: access, last: access, count: 1, network });
    return false;
  }

  /** The entry for all that was counted, to be written now; null for nothing. */
  takeSum(): { access: Access; giveBack: () => void } | null {
    const sum = this.#sum;
    if (!sum) return null;
    this.#sum = null;
    return { access: accessOf(sum), giveBack: () => this.#add(sum) };
  }

  #add(sum: Sum): void {
    const before = this.#sum;
    this.#sum = before
      ? {
          first: before.first,
          last: sum.last,
          count: before.count + sum.count,
          network: before.network === sum.network ? sum.network : null,
        }
      : sum;
  }
}

/** `?refused=120&since=2025-12-01T06:00:00.000Z` by one network or, as `*`, by several; the time is that of the last. */
function accessOf({ first, last, count, network }: Sum): Access {
  const query = `refused=${count}&since=${new Date(first.time).toISOString()}`;
  return { ...last, keyId: null, holder: null, path: SUMMARY_PATH, query, client: network ?? SUMMARY_PATH };
}

function networkOf(client: string): string {
  try {
    return clientNetwork(client);
  } catch {
    return client;
  }
}
