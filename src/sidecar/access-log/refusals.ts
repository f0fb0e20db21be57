import { clientNetwork } from '../limits/client-network.ts';
import type { Access } from './entry.ts';

export interface RefusalLimits {
  /** Individual entries per network and hour. */
  perNetwork: number;
  /** Individual entries of all networks per hour. */
  inAll: number;
}

/** With the short form of refused entries, at most 6 MB an hour in total and 0.6 MB per network. */
export const REFUSAL_LIMITS: RefusalLimits = { perNetwork: 600, inAll: 6_000 };

/** Replaces the path in a summary entry. No request path lacks a slash. */
const SUMMARY_PATH = '*';
const HOUR_MS = 60 * 60 * 1_000;

/** Refused requests counted since the last summary entry. */
interface Sum {
  first: Access;
  last: Access;
  count: number;
  /** Null if they came from several networks. */
  network: string | null;
}

/**
 * Anyone may request a restricted path as fast as the network allows, and no quota limits refused requests. Beyond a budget,
 * refused requests are therefore counted and logged in one summary entry instead of individually.
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

  /** Whether a refused request gets its own entry. If not, this counts it. */
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

  /** The summary entry of all counted requests, to be written now; null if there are none. */
  takeSum(): { access: Access; giveBack: () => void } | null {
    const sum = this.#sum;
    if (!sum) return null;
    this.#sum = null;
    // What was counted meanwhile comes after it.
    const giveBack = () => {
      const later = this.#sum;
      this.#sum = sum;
      if (later) this.#add(later);
    };
    return { access: accessOf(sum), giveBack };
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

/**
 * `?refused=120&since=2025-12-01T06:00:00.000Z` by one network or, as `*`, by several. The entry's time is that of the last
 * request.
 */
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
