import { PROTOCOL_LIMITS } from '../../simulation/protocol/client-message.ts';

/** All limits but the number of starts, which is a setting. */
export const SIMULATION_LIMITS = {
  /** Open connections, in total and per IPv4 address or IPv6 /64. Each costs about a hundred kB: together, 200 MB. */
  connections: 2000,
  /** A class of forty behind one address, with some to spare for those who reconnect. */
  connectionsPerClient: 60,
  /** Including pings; more than anybody clicks. A script that steps through a run has the burst. */
  messagesPerSecond: 5,
  burst: 30,
  /**
   * Computing time that the messages of a network get in a second, and after a pause, ms. Beyond it, they wait, so that one network
   * does not take the whole processor. A class that decides together takes half a second, mostly for forecasts.
   */
  workPerSecond: 200,
  workBurst: 5000,
  messageBytes: PROTOCOL_LIMITS.messageBytes,
  /** Per message. */
  fragments: 64,
  /** Time without a message while no run advances, ms. Long enough for a break to discuss what happened. */
  idleMs: 15 * 60_000,
  /** Maximum age of a connection, ms. */
  totalMs: 2 * 60 * 60_000,
  /** A client that did not answer one heartbeat by the next is dropped, ms. Shorter than the time-out of common proxies. */
  heartbeatMs: 20_000,
  /** Unsent bytes per client, of updates of 12 kB. Above the first limit its run waits, above the second the client is dropped. */
  holdBytes: 32 * 1024,
  dropBytes: 256 * 1024,
  /** How long a run may wait for its client, ms. */
  stallMs: 30_000,
};

export type SimulationLimits = typeof SIMULATION_LIMITS & {
  /** Runs that one network may start a day. The holder of a key has at least the quota of its tier. */
  startsPerClient: number;
};

/** A token bucket: admits `perSecond`, and `burst` at once after a pause. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  /** `now`: ms from any origin. */
  constructor(perSecond: number, burst: number, now: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = now;
  }

  /** Takes a token; false if none is left. */
  take(now: number): boolean {
    if (this.#left(now) < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes as many tokens as something has cost, even more than are left. */
  spend(cost: number, now: number): void {
    this.#tokens = this.#left(now) - cost;
  }

  /** ms until what was spent beyond the tokens is there again. */
  debt(now: number): number {
    return Math.max(0, (-this.#left(now) / this.#perSecond) * 1000);
  }

  isFull(now: number): boolean {
    return this.#left(now) === this.#burst;
  }

  #left(now: number): number {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) * this.#perSecond) / 1000);
    this.#at = now;
    return this.#tokens;
  }
}
