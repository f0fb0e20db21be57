/**
 * Does one thing whenever it is woken: one run at a time, a rest after each, and of all wakes meanwhile one more run. So a
 * thousand wakes in a moment cost two runs.
 */
export class Pacer {
  readonly #work: () => Promise<number>;
  #running: Promise<void> | null = null;
  #resting: NodeJS.Timeout | null = null;
  #isWanted = false;
  #isClosed = false;

  /** `work` resolves to the rest in ms that it needs afterwards; it does not reject. */
  constructor(work: () => Promise<number>) {
    this.#work = work;
  }

  /** Returns the run that this began or that is under way; null where there is none before the rest is over. */
  wake(): Promise<void> | null {
    this.#isWanted = true;
    if (!this.#running && !this.#resting && !this.#isClosed) this.#running = this.#run();
    return this.#running;
  }

  /** Resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#resting) clearTimeout(this.#resting);
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#isWanted = false;
    const restMs = await this.#work();
    this.#running = null;
    if (this.#isClosed) return;
    this.#resting = setTimeout(() => {
      this.#resting = null;
      if (this.#isWanted) this.wake();
    }, restMs).unref();
  }
}
