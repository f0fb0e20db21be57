/** Memory for what is made, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Sized {
  /** In memory, bytes. */
  size: number;
}

/**
 * What was read, rendered or compressed recently, by key; the least recently used goes first. What is asked for twice at once is
 * made once. Errors are not kept.
 */
export class RecentlyMade<Value> {
  readonly #most: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #values = new Map<string, Value>();
  readonly #pending = new Map<string, Promise<Value>>();
  #size = 0;

  /** `most`: the sum of the sizes of all values. */
  constructor(most = MAX_BYTES, sizeOf = (value: Value) => (value as Sized).size) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  /** Synchronous if the value is cached. */
  get(key: string, make: () => Promise<Value>): Value | Promise<Value> {
    const value = this.#values.get(key);
    if (value === undefined) return this.#pending.get(key) ?? this.#make(key, make);
    // A map iterates in insertion order, so this makes it the most recently used.
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
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
    this.#values.set(key, value);
    this.#size += this.#sizeOf(value);
    for (const [oldest, one] of this.#values) {
      if (this.#size <= this.#most) return;
      this.#values.delete(oldest);
      this.#size -= this.#sizeOf(one);
    }
  }
}
