import { TransientFault } from './transient-fault.ts';

/** Six simultaneous transfers need 400 kbit/s. */
const LEAST_BYTES_PER_SECOND = 8192;
/** How long a transfer may stay below that, ms: a line that fails for some seconds recovers, and whoever waits is not kept for minutes. */
export const STALL_MS = 30_000;

/** Fewer bytes in this time, ms, and a transfer counts as stalled. */
export function leastOf(stallMs: number): number {
  return (LEAST_BYTES_PER_SECOND * stallMs) / 1000;
}

/** In which the time is counted. */
const PARTS = 10;

/**
 * Ends a transfer that stays below 8 kB per second for `stallMs`, including the wait for its first byte. A time-out for the whole
 * transfer would cut off large files on slow lines, and a time-out between two bytes would accept an endless trickle.
 */
export class Pace {
  readonly signal: AbortSignal;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #stop: AbortSignal | undefined;
  readonly #onStop: () => void;
  #bytes = 0;
  #parts = 0;
  /** Whether the transfer waits for its reader, whose time does not count. */
  isHeld = false;

  constructor(stallMs: number, stop: AbortSignal | undefined) {
    const least = leastOf(stallMs);
    const controller = new AbortController();
    this.signal = controller.signal;
    // AbortSignal.any takes longer than a small file.
    this.#stop = stop;
    this.#onStop = () => controller.abort(stop?.reason);
    if (stop?.aborted) this.#onStop();
    stop?.addEventListener('abort', this.#onStop);
    this.#timer = setInterval(() => {
      if (!this.isHeld) this.#parts += 1;
      if (this.#parts < PARTS) return;
      const found = `${this.#bytes} bytes in ${stallMs} ms`;
      if (this.#bytes < least) controller.abort(new TransientFault(found));
      [this.#bytes, this.#parts] = [0, 0];
    }, stallMs / PARTS);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#stop?.removeEventListener('abort', this.#onStop);
  }
}
