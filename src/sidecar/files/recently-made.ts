/** Memory for what is made, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Sized {
  /** In memory, bytes. */
  size: number;
}

interface Kept<Value> {
  value: Value;
  /** Asked for since it was last passed over. */
  used: boolean;
}

/**
 * What was read, rendered or compressed recently, by key. The oldest goes first, but what has been used since is passed over once. What
 * is asked for twice at once is made once. Errors are not kept.
 */
export class RecentlyMade<Value> {
  readonly #most: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #values = new Map<string, Kept<Value>>();
  readonly #pending = new Map<string, Promise<Value>>();
  #size = 0;

  /** `most`: the sum of the sizes of all values. */
  constructor(most = MAX_BYTES, sizeOf = (value: Value) => (value as Sized).size) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  /** Synchronous if the value is cached. */
  get(key: string, make: () => Promise<Value>): Value | Promise<Value> {
    const kept = this.#values.get(key);
    if (kept === undefined) return this.#pending.get(key) ?? this.#make(key, make);
    // Only noted: to move the entry to the end of the map would take longer than the rest of a small file's answer.
    kept.used = true;
    return kept.value;
  }

  async #make(key: string, make: () => Promise<Value>): Promise<Value> {
    const pending = make();
    this.#pending.set(key, pending);
    try {
      const value = await pending;
      this.#add(key, value);
      return value;
    } finally {
      this.#pending.delete(key);
    }
  }

  #add(key: string, value: Value): void {
    this.#values.set(key, { value, used: false });
    this.#size += this.#sizeOf(value);
    for (const [oldest, kept] of this.#values) {
      if (this.#size <= this.#most) return;
      this.#values.delete(oldest);
      // The loop comes to it again.
      if (kept.used) this.#values.set(oldest, { value: kept.value, used: false });
      else this.#size -= this.#sizeOf(kept.value);
    }
  }
}
