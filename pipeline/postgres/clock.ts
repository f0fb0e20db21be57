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
  #isOfOtherServer = false;

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
    const isBetter = !kept || this.#isOfOtherServer || roundTrip <= kept.roundTrip;
    if (!isBetter && received - kept.at < KEEP_MS) return;
    this.#sample = { at: (sent + received) / 2, server, roundTrip };
    this.#isOfOtherServer = false;
  }

  /** A different server has a clock of its own. */
  forget(): void {
    this.#isOfOtherServer = true;
  }

  /**
   * What to add to this machine's time to get the database's, whole ms. 0 before the first sample, and where the difference is so small that
   * the sample cannot tell it from none: a process that is starting answers late, and its clock is not wrong because of that.
   */
  offset(): number {
    if (!this.#sample) return 0;
    const { at, server, roundTrip } = this.#sample;
    const offset = server + (this.#monotonic() - at) - this.#wall();
    return Math.abs(offset) <= roundTrip / 2 ? 0 : Math.round(offset);
  }
}
