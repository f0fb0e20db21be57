import { TransientFault } from '../transient-fault.ts';

/** Six simultaneous transfers need 400 kbit/s. */
const LEAST_BYTES_PER_SECOND = 8192;

/**
 * Ends a transfer that stays below 8 kB per second for `stallMs`, including the wait for its first byte. A time-out for the whole
 * transfer would cut off large files on slow lines, and a time-out between two bytes would accept an endless trickle.
 */
export class Pace {
  readonly signal: AbortSignal;
  readonly #timer: ReturnType<typeof setInterval>;
  #bytes = 0;

  constructor(stallMs: number, stop: AbortSignal | undefined) {
    const least = (LEAST_BYTES_PER_SECOND * stallMs) / 1000;
    const controller = new AbortController();
    this.signal = stop ? AbortSignal.any([stop, controller.signal]) : controller.signal;
    this.#timer = setInterval(() => {
      const found = `${this.#bytes} bytes in ${stallMs} ms`;
      if (this.#bytes < least) controller.abort(new TransientFault(found));
      this.#bytes = 0;
    }, stallMs);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}
