/** What is called when it is due; `at`: ms, not before the time that was asked for. */
export interface Ringing {
  ring: (at: number) => void;
}

/** ms; the usual paces are multiples of it. */
const BEAT_MS = 25;

/**
 * Calls what is due on the next beat, all of one beat in a row. A timer for each of thousands of clients would wake the process
 * for every one of them, to find its caches full of other things.
 */
export class Metronome {
  readonly #now: () => number;
  readonly #beats = new Map<number, Set<Ringing>>();

  /** `now`: ms, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** `due`: ms, on the same clock. Returns what `remove` wants. */
  add(due: number, one: Ringing): number {
    const now = this.#now();
    const beat = Math.ceil(Math.max(due, now) / BEAT_MS);
    const waiting = this.#beats.get(beat);
    if (waiting) {
      waiting.add(one);
      return beat;
    }
    this.#beats.set(beat, new Set([one]));
    // A server that listens lives by that; one that is closed waits for no beat.
    setTimeout(() => this.#ring(beat), beat * BEAT_MS - now).unref();
    return beat;
  }

  remove(beat: number, one: Ringing): void {
    this.#beats.get(beat)?.delete(one);
  }

  #ring(beat: number): void {
    const waiting = this.#beats.get(beat)!;
    this.#beats.delete(beat);
    // Timers count from when the loop's turn began, so that they may come a little early.
    const at = Math.max(this.#now(), beat * BEAT_MS);
    for (const one of waiting) one.ring(at);
  }
}
