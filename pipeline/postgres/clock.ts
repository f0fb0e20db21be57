/** A sample is replaced after so long, even by a less exact one: clocks drift by up to 0.1 ms a second. */
const KEEP_MS = 120_000;

/**
 * The clock of a database, as measured in round trips. It goes on with this machine's monotonic clock, so it does not jump when somebody
 * sets the time of this machine. `monotonic` and `wall`: ms.
 */
export class DatabaseClock {
  readonly #monotonic: () => number;
  readonly #wall: () => number;
  #sample: { at: number; server: number; roundTrip: number } | null = null;

  constructor(monotonic = () => performance.now(), wall = Date.now) {
    this.#monotonic = monotonic;
    this.#wall = wall;
  }

  /** `read` asks for the server's time, ms since 1970. */
  async measure(read: () => Promise<number>): Promise<void> {
    const sent = this.#monotonic();
    const server = await read();
    const received = this.#monotonic();
    const roundTrip = received - sent;
    const kept = this.#sample;
    // The answer was sent some time between; a short round trip says more exactly when.
    if (kept && roundTrip > kept.roundTrip && received - kept.at < KEEP_MS) return;
    this.#sample = { at: (sent + received) / 2, server, roundTrip };
  }

  /** A different server has a clock of its own. */
  forget(): void {
    this.#sample = this.#sample && { ...this.#sample, roundTrip: Number.POSITIVE_INFINITY };
  }

  /** What to add to this machine's time to get the database's, whole ms; 0 before the first sample. */
  offset(): number {
    if (!this.#sample) return 0;
    return Math.round(this.#sample.server + (this.#monotonic() - this.#sample.at) - this.#wall());
  }
}
