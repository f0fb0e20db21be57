/** Something that will soon need its next updates. */
export interface PrefetchTarget {
  prepare: () => void;
}

/** ms; shorter than any tick interval, so that updates are ready when due. */
const EVERY_MS = 100;
/** ms that all other work waits at most, and ms that one buffer takes. */
const AT_ONCE_MS = 10;

/**
 * Lets tick buffers render their next updates in one batch, before they are due. Rendered one by one between network traffic,
 * each would start with cold caches and take three times as long.
 */
export class TickPrefetch {
  readonly #waiting = new Set<PrefetchTarget>();
  #turns = 0;
  #timer: NodeJS.Timeout | null = null;

  add(one: PrefetchTarget): void {
    this.#waiting.add(one);
    this.#runIn(EVERY_MS);
  }

  /** From 2 to `most`, in turn. */
  turn(most: number): number {
    this.#turns = (this.#turns + 1) % (most - 1);
    return 2 + this.#turns;
  }

  run(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const end = performance.now() + AT_ONCE_MS;
    for (const one of this.#waiting) {
      this.#waiting.delete(one);
      one.prepare();
      if (performance.now() < end) continue;
      if (this.#waiting.size > 0) this.#runIn(0);
      return;
    }
  }

  #runIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.run(), ms).unref();
  }
}
