/** What will need something soon. */
export interface Waiting {
  prepare: () => void;
}

/** ms; shorter than any pace, so that what waits is ready when it is due. */
const EVERY_MS = 100;
/** ms that all else waits at most, and what one course takes. */
const AT_ONCE_MS = 10;

/**
 * Has courses make their next updates many in a row, some time before they are due. Each by itself, between others' network
 * traffic, would find the processor's caches full of other things and take three times as long.
 */
export class Preparation {
  readonly #waiting = new Set<Waiting>();
  #turns = 0;
  #timer: NodeJS.Timeout | null = null;

  add(one: Waiting): void {
    this.#waiting.add(one);
    this.#runIn(EVERY_MS);
  }

  /** From 2 to `most`, one after the other. */
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
