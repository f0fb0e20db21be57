/** Of what is kept, in bytes; see `ChartCache`. */
const MOST_BYTES = 32 * 1024 * 1024;

interface Sized {
  /** In memory. */
  size: number;
}

/**
 * What was made lately, by key: the least recently asked for goes first where it gets too much. Who asks for what is
 * being made waits for that. A failure is not kept.
 */
export class ChartCache<Value extends Sized> {
  readonly #most: number;
  readonly #values = new Map<string, Value>();
  readonly #making = new Map<string, Promise<Value>>();
  #size = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#most = mostBytes;
  }

  /** At once where it is there. */
  get(key: string, make: () => Promise<Value>): Value | Promise<Value> {
    const value = this.#values.get(key);
    if (!value) return this.#making.get(key) ?? this.#make(key, make);
    // To the end of the order in which the map has its keys.
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  async #make(key: string, make: () => Promise<Value>): Promise<Value> {
    const making = make();
    this.#making.set(key, making);
    try {
      const value = await making;
      this.#keep(key, value);
      return value;
    } finally {
      this.#making.delete(key);
    }
  }

  #keep(key: string, value: Value): void {
    this.#values.set(key, value);
    this.#size += value.size;
    for (const [oldest, { size }] of this.#values) {
      if (this.#size <= this.#most) return;
      this.#values.delete(oldest);
      this.#size -= size;
    }
  }
}
