/** Memory for what is made, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Sized {
  /** In memory, bytes. */
  size: number;
}

/**
 * What was rendered or compressed recently, by key; the least recently used goes first. What is asked for twice at once is
 * made once. Errors are not kept.
 */
export class RecentlyMade<Value extends Sized> {
  readonly #maxBytes: number;
  readonly #values = new Map<string, Value>();
  readonly #pending = new Map<string, Promise<Value>>();
  #size = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Synchronous if the value is cached. */
  get(key: string, render: () => Promise<Value>): Value | Promise<Value> {
    const value = this.#values.get(key);
    if (!value) return this.#pending.get(key) ?? this.#render(key, render);
    // A map iterates in insertion order, so this makes it the most recently used.
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  async #render(key: string, render: () => Promise<Value>): Promise<Value> {
    const pending = render();
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
    this.#size += value.size;
    for (const [oldest, { size }] of this.#values) {
      if (this.#size <= this.#maxBytes) return;
      this.#values.delete(oldest);
      this.#size -= size;
    }
  }
}
