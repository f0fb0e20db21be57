/** A callback with a due time; `at`: ms, not before the requested time. */
export interface Timed {
  ring: (at: number) => void;
}

/** ms; the usual tick intervals are multiples of it. */
const BEAT_MS = 25;

/**
 * Calls everything that is due in one interval in a row. A timer per client would wake the process thousands of times, each
 * time with cold caches.
 */
export class TickTimer {
  readonly #now: () => number;
  readonly #beats = new Map<number, Set<Timed>>();

  /** `now`: ms, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** `due`: ms on the same clock. Returns the handle for `remove`. */
  add(due: number, one: Timed): number {
    const now = this.#now();
    const beat = Math.ceil(Math.max(due, now) / BEAT_MS);
    const waiting = this.#beats.get(beat);
    if (waiting) {
      waiting.add(one);
      return beat;
    }
    this.#beats.set(beat, new Set([one]));
    // The timer must not keep a server that has closed alive.
    setTimeout(() => this.#ring(beat), beat * BEAT_MS - now).unref();
    return beat;
  }

  remove(beat: number, one: Timed): void {
    this.#beats.get(beat)?.delete(one);
  }

  #ring(beat: number): void {
    const waiting = this.#beats.get(beat)!;
    this.#beats.delete(beat);
    // Timers count from the start of the event loop's turn, so they may fire slightly early.
    const at = Math.max(this.#now(), beat * BEAT_MS);
    for (const one of waiting) one.ring(at);
  }
}
