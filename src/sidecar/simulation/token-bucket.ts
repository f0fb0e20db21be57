/** A token bucket: admits `perSecond`, and `burst` at once after a pause. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #at: number;

  /** `now`: ms from any origin. */
  constructor(perSecond: number, burst: number, now: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#at = now;
  }

  /** Takes a token; false if none is left. */
  take(now: number): boolean {
    if (this.#left(now) < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes as many tokens as something has cost, even more than are left. */
  spend(cost: number, now: number): void {
    this.#tokens = this.#left(now) - cost;
  }

  /** ms until what was spent beyond the tokens is there again. */
  debt(now: number): number {
    return Math.max(0, (-this.#left(now) / this.#perSecond) * 1000);
  }

  isFull(now: number): boolean {
    return this.#left(now) === this.#burst;
  }

  #left(now: number): number {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) * this.#perSecond) / 1000);
    this.#at = now;
    return this.#tokens;
  }
}
