/** Each answer bounds the offset to a second and its own duration; together they bound it to a few milliseconds. */
const KEPT = 60;

/**
 * The clock of an object store, from the Date headers of its answers, for replicas without a database. Times in ms; offsets are what to
 * add to this machine's clock.
 */
export class StoreClock {
  #bounds: { least: number; most: number }[] = [];

  /** `date`: whole seconds, cut off, in an answer to a request sent at `sent` and received at `received`. */
  add(date: number, sent: number, received: number): void {
    const bound = { least: date - received, most: date + 1000 - sent };
    this.#bounds = [...this.#bounds, bound].slice(-KEPT);
    const { least, most } = this.#within();
    // One of the two clocks was set meanwhile.
    if (least > most) this.#bounds = [bound];
  }

  /** 0 before the first answer. */
  offset(): number {
    if (this.#bounds.length === 0) return 0;
    const { least, most } = this.#within();
    return (least + most) / 2;
  }

  #within(): { least: number; most: number } {
    return {
      least: Math.max(...this.#bounds.map(({ least }) => least)),
      most: Math.min(...this.#bounds.map(({ most }) => most)),
    };
  }
}
