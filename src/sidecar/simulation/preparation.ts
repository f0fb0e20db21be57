/** What will need something soon. */
export interface Waiting {
  prepare: () => void;
}

/** ms; shorter than any pace, so that what waits is ready when it is due. */
const EVERY_MS = 100;

/**
 * Has courses make their next updates many in a row, some time before they are due. Each by itself, between others' network
 * traffic, would find the processor's caches full of other things and take three times as long.
 */
export class Preparation {
  #waiting: Waiting[] = [];
  #turns = 0;
  #timer: NodeJS.Timeout | null = null;

  add(one: Waiting): void {
    this.#waiting.push(one);
    this.#timer ??= setTimeout(() => this.run(), EVERY_MS).unref();
  }

  /** From 2 to `most`, one after the other. */
  turn(most: number): number {
    this.#turns = (this.#turns + 1) % (most - 1);
    return 2 + this.#turns;
  }

  run(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const one of waiting) one.prepare();
  }
}
