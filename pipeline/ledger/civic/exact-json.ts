/** ECMAScript's raw JSON, which TypeScript's library does not describe yet. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/** Deeper than any Python server can send (its recursion limit is 1 000), and far from the end of our own stack. */
const MAX_DEPTH = 1000;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** Where the plain part of a string ends. */
const STRING_STOP = /["\\]/g;
const LITERALS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * JSON text → value, in which a number that JavaScript would print in another way than it was written stays text:
 * `1.0`, `1e16` and `12345678901234567890` come out of JSON.stringify as they went in. Throws a SyntaxError.
 *
 * Not JSON.parse with a reviver: V8 takes the expected member's name for an escaped one that merely begins with the same
 * characters (`{"\\":1}` read once turns a later `{"\u00df":1.0}` into `{"\\":1}`), and event_hash covers the names.
 */
export function parseExactJson(text: string): unknown {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/** The text of a number in a value of `parseExactJson`; undefined for what is not a number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return JSON.stringify(value);
  return isRawJSON(value) ? value.rawJSON : undefined;
}

/** Whether a value of `parseExactJson` is a JSON object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawJSON(value);
}

/** The same value with plain JavaScript numbers. */
export function roundNumbers(value: unknown): unknown {
  if (isRawJSON(value)) return Number(value.rawJSON);
  if (Array.isArray(value)) return value.map(roundNumbers);
  return isJsonObject(value) ? roundMembers(value) : value;
}

export function roundMembers(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key, roundNumbers(member)]));
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.#fault(`at most ${MAX_DEPTH} levels`);
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"') return this.#string();
    return this.#number() ?? this.#literal();
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fault('the end');
  }

  #object(depth: number): Record<string, unknown> {
    const members: [string, unknown][] = [];
    this.#list('}', () => {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#fault("a member's name");
      const name = this.#string();
      this.#skipSpace();
      if (!this.#take(':')) throw this.#fault(':');
      members.push([name, this.value(depth + 1)]);
    });
    // Not by assignment, for which a member named __proto__ is something else.
    return Object.fromEntries(members);
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#list(']', () => items.push(this.value(depth + 1)));
    return items;
  }

  #list(close: string, readItem: () => void): void {
    this.#at += 1;
    this.#skipSpace();
    if (this.#take(close)) return;
    for (;;) {
      readItem();
      this.#skipSpace();
      if (this.#take(close)) return;
      if (!this.#take(',')) throw this.#fault(`, or ${close}`);
    }
  }

  #string(): string {
    const start = this.#at;
    let stop = start + 1;
    for (;;) {
      STRING_STOP.lastIndex = stop;
      const found = STRING_STOP.exec(this.#text);
      if (!found) throw this.#fault('a string that ends');
      stop = STRING_STOP.lastIndex;
      if (found[0] === '"') break;
      stop += 1;
    }
    return this.#decode(start, stop);
  }

  #decode(start: number, stop: number): string {
    try {
      // A string by itself is decoded rightly: only names go wrong.
      const text = JSON.parse(this.#text.slice(start, stop)) as string;
      this.#at = stop;
      return text;
    } catch {
      throw this.#fault('a string with no control character and no unknown escape');
    }
  }

  #number(): unknown {
    NUMBER.lastIndex = this.#at;
    const text = NUMBER.exec(this.#text)?.[0];
    if (text === undefined) return undefined;
    this.#at += text.length;
    const value = Number(text);
    return JSON.stringify(value) === text ? value : rawJSON(text);
  }

  #literal(): unknown {
    for (const [text, value] of LITERALS) {
      if (!this.#text.startsWith(text, this.#at)) continue;
      this.#at += text.length;
      return value;
    }
    throw this.#fault('a value');
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    this.#at += SPACE.exec(this.#text)![0].length;
  }

  #fault(expected: string): SyntaxError {
    const found = JSON.stringify(this.#text.slice(this.#at, this.#at + 20));
    return new SyntaxError(`expected ${expected} at character ${this.#at}, found ${found}`);
  }
}
