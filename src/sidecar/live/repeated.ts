export interface RepeatedWork {
  work: () => Promise<unknown>;
  /** How long to wait after a run that took so long, ms; `failures`: how many have failed in a row. */
  pauseMs: (tookMs: number, failures: number) => number;
  /** Called once for each run of the same fault, and with null when it has passed. */
  report?: (fault: Error | null) => void;
  /** Faults that are not reported. */
  isExpected?: (error: unknown) => boolean;
  /** How long to wait before the first run, ms. Default: 0. */
  firstMs?: number;
}

/**
 * Work that is done whenever it is woken, one run at a time, with a pause after each. All wakes during a run or a pause
 * lead to one further run, so a thousand wakes at once cost two runs.
 */
export class Repeated {
  readonly #of: RepeatedWork;
  #running: Promise<void> | null = null;
  #pause: NodeJS.Timeout | null = null;
  #isWanted = false;
  #isClosed = false;
  #failures = 0;
  #reported: string | null = null;

  constructor(of: RepeatedWork) {
    this.#of = of;
    if (of.firstMs) this.#wait(of.firstMs);
  }

  /** Runs that have failed since the last one that did not. */
  get failures(): number {
    return this.#failures;
  }

  /** Returns the current run, which this may have started; null during a pause. */
  wake(): Promise<void> | null {
    this.#isWanted = true;
    if (!this.#running && !this.#pause && !this.#isClosed) this.#running = this.#run();
    return this.#running;
  }

  /** Resolves when the current run is over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#pause) clearTimeout(this.#pause);
    await this.#running;
  }

  async #run(): Promise<void> {
    this.#isWanted = false;
    const start = performance.now();
    try {
      await this.#of.work();
      this.#failures = 0;
      this.#tell(null);
    } catch (error) {
      this.#failures += 1;
      if (!this.#of.isExpected?.(error)) this.#tell(error as Error);
    }
    this.#running = null;
    if (!this.#isClosed) this.#wait(this.#of.pauseMs(performance.now() - start, this.#failures));
  }

  #wait(ms: number): void {
    this.#pause = setTimeout(() => {
      this.#pause = null;
      if (this.#isWanted) this.wake();
    }, ms).unref();
  }

  #tell(fault: Error | null): void {
    const said = fault && String(fault);
    if (said === this.#reported || this.#isClosed) return;
    this.#reported = said;
    this.#of.report?.(fault);
  }
}
