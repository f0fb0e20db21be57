import { TransientFault } from '../ledger/transient-fault.ts';

/** Six transfers at once need 400 kbit/s then. */
const LEAST_BYTES_PER_SECOND = 8192;

/**
 * Ends a transfer that brings less than 8 kB a second for `stallMs`, its beginning included: a time-out for the whole would
 * end large files over slow lines, and one between two bytes would never end a byte now and then.
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
