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
    this.#refill(now);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes as many tokens as something has cost, even more than are left. */
  spend(cost: number, now: number): void {
    this.#refill(now);
    this.#tokens -= cost;
  }

  /** ms until what was spent beyond the tokens is there again. */
  debt(now: number): number {
    this.#refill(now);
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1000;
  }

  #refill(now: number): void {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) * this.#perSecond) / 1000);
    this.#at = now;
  }
}
