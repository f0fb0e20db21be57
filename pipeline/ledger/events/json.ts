/**
 * A JSON reader (RFC 8259) for texts that are signed or hashed. `JSON.parse` keeps the last of two members of one name, reads
 * 1e999 as infinity and 1.0 as 1; what a signature covers must not depend on that.
 */

/** What to do where RFC 8259 leaves a choice to the reader. */
export interface JsonRules {
  /** Of objects and arrays in each other, the outermost counted. */
  maxDepth: number;
  /** What other programs stumble over: a member `__proto__`, and half of a surrogate pair. */
  hazards: 'refuse' | 'accept';
  /**
   * finite: as doubles, none beyond their range. kept: one that `exactNumber` refuses keeps its digits, for `numberText` and
   * `findInexact`. as written: see `parseExactJson`.
   */
  numbers: 'finite' | 'kept' | 'as written';
}

/** A part of a text, in UTF-16 units; `end` is not in it. */
export interface Range {
  start: number;
  end: number;
}

/** Why a text was refused, and where: the members and items that lead there, and the part of the text. */
export class JsonFault extends SyntaxError {
  readonly code:
    | 'not_json'
    | 'too_deep'
    | 'duplicate_member'
    | 'forbidden_member'
    | 'lone_surrogate'
    | 'number_not_finite';
  readonly expected: string;
  readonly found: string;
  readonly path: readonly (string | number)[];
  readonly range: Range;

  constructor(
    code: JsonFault['code'],
    { expected, found }: { expected: string; found: string },
    path: readonly (string | number)[],
    range: Range,
  ) {
    super(`at character ${range.start}: expected ${expected}, found ${found}`);
    this.code = code;
    this.expected = expected;
    this.found = found;
    this.path = [...path];
    this.range = range;
  }

  /** `a value at character 7` */
  get expectedHere(): string {
    return `${this.expected} at character ${this.range.start}`;
  }
}

/** Called after each member or item has been read, with its path; the range starts at a member's name. */
export type Seen = (path: readonly (string | number)[], range: Range) => void;

/** JSON text → value. Throws JsonFault. */
export function readStrictJson(text: string, rules: JsonRules, seen?: Seen): unknown {
  return new Reader(text, rules, seen).document();
}

const UNAMBIGUOUS: JsonRules = {
  maxDepth: Number.POSITIVE_INFINITY,
  hazards: 'accept',
  numbers: 'finite',
};

/**
 * The value of a JSON text if every reader gets the same one: no object has a member twice, and no number is beyond a double, which would be
 * published as null. Otherwise undefined. `value` is what `JSON.parse` made of `text`, in which names with escapes may be wrong: see `Reader`.
 */
export function unambiguousJson(text: string, value: unknown): unknown {
  try {
    // A text that JSON.stringify would write is unambiguous. Most event lines are, and this is by far the quickest check.
    return JSON.stringify(value) === text ? value : readStrictJson(text, UNAMBIGUOUS);
  } catch (cause) {
    // RangeError: nested so deeply that the stack overflows.
    if (cause instanceof JsonFault || cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/** `JSON.parse` with the names that are written; of an ambiguous text, as `JSON.parse` has them. Throws a SyntaxError. */
export function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('\\') ? (unambiguousJson(text, value) ?? value) : value;
}

/** Whether a JSON text has more than this many nested levels of objects and arrays, the outermost counted. */
export function isNestedDeeper(text: string, levels: number): boolean {
  try {
    readStrictJson(text, { ...UNAMBIGUOUS, maxDepth: levels });
    return false;
  } catch (cause) {
    return cause instanceof JsonFault && cause.code === 'too_deep';
  }
}

/** ECMAScript's raw JSON, which TypeScript's library does not describe yet. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

const EXACT: JsonRules = {
  /** Deeper than any Python server can send (its recursion limit is 1 000), and far from overflowing our own stack. */
  maxDepth: 1000,
  hazards: 'accept',
  numbers: 'as written',
};

/**
 * JSON text → value, in which a number that JavaScript would print differently keeps its text: `1.0`, `1e16` and
 * `12345678901234567890` come out of JSON.stringify as they went in. Throws JsonFault.
 */
export function parseExactJson(text: string): unknown {
  return readStrictJson(text, EXACT);
}

/** Longest text of a number that is compared digit by digit. */
const MAX_DIGITS = 1000;

/**
 * The number that a decimal text denotes, `12.50`, `-1e3`; null if writing it would give another number, or if other programs read another
 * one (RFC 7493, section 2.2): more digits than a double has, beyond its range, a whole number from 2^53 on.
 */
export function exactNumber(text: string): number | null {
  const number = Number(text);
  if (/^[+-]?\d+$/.test(text)) return Number.isSafeInteger(number) ? number : null;
  if (`${number}` === text) return number;
  if (!Number.isFinite(number) || text.length > MAX_DIGITS) return null;
  return decimalOf(text) === decimalOf(`${number}`) ? number : null;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** The same text for all spellings of a number: `0.120`, `12e-2` → `12e-2`. */
function decimalOf(text: string): string {
  const [, sign, whole = '', fraction = '', power = '0'] = DECIMAL.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  if (short === '') return '0';
  return `${sign === '-' ? '-' : ''}${short}e${Number(power) - fraction.length + digits.length - short.length}`;
}

/** The text of a number in a value of `readStrictJson`; undefined for what is not a number. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return JSON.stringify(value);
  return isRawJSON(value) ? value.rawJSON : undefined;
}

/** What `exactNumber` accepts, for messages. */
export const EXACT_NUMBER =
  'a number that a double holds digit by digit: round a longer one, or write it as a text';

/** The first inexact number in a value, with the path to it; null if all numbers are exact. */
export function findInexact(value: unknown): { path: readonly string[]; text: string } | null {
  if (typeof value !== 'object' || value === null) return null;
  if (isRawJSON(value)) return { path: [], text: value.rawJSON };
  for (const name of Object.keys(value)) {
    const found = findInexact((value as Record<string, unknown>)[name]);
    if (found) return { ...found, path: [name, ...found.path] };
  }
  return null;
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

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
const LETTER = /[a-z]/;
/** Where the plain part of a string ends: at its end, an escape, or a control character, which JSON does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them.
const STRING_STOP = /["\\\u0000-\u001f]/g;

/**
 * Not JSON.parse: V8 takes the expected member's name for an escaped one that merely begins with the same characters (`{"\\":1}` read once
 * turns a later `{"\u00df":1.0}` into `{"\\":1}`). It decodes single strings correctly.
 */
class Reader {
  readonly #text: string;
  readonly #rules: JsonRules;
  readonly #seen: Seen | undefined;
  readonly #path: (string | number)[] = [];
  #at = 0;
  /** Where the string, number or literal that was read last begins. */
  #token = 0;

  constructor(text: string, rules: JsonRules, seen?: Seen) {
    this.#text = text;
    this.#rules = rules;
    this.#seen = seen;
  }

  document(): unknown {
    const value = this.#value();
    if (this.#peek() !== '') throw this.#unexpected('the end');
    return value;
  }

  #value(): unknown {
    const first = this.#peek();
    if (first === '{' || first === '[') {
      if (this.#path.length >= this.#rules.maxDepth)
        throw this.#fault('too_deep', `at most ${this.#rules.maxDepth} objects or arrays in each other`);
      return first === '{' ? this.#object() : this.#array();
    }
    if (first === '"') return this.#string();
    const literal = LETTER.test(first) ? this.#match(LITERAL) : null;
    return literal === null ? this.#number() : JSON.parse(literal);
  }

  #object(): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    this.#expect('{');
    if (this.#take('}')) return members;
    do {
      const start = this.#startOfNext();
      const name = this.#string();
      this.#path.push(name);
      this.#checkName(name, members);
      this.#expect(':');
      const value = this.#value();
      // An assignment to __proto__ would set the prototype.
      if (name === '__proto__') Object.defineProperty(members, name, { ...MEMBER, value });
      else members[name] = value;
      this.#leave(start);
    } while (this.#take(','));
    this.#expect('}');
    return members;
  }

  #checkName(name: string, members: object): void {
    if (this.#rules.hazards === 'refuse' && name === '__proto__')
      throw this.#refusal('forbidden_member', 'no member __proto__');
    if (Object.hasOwn(members, name)) throw this.#refusal('duplicate_member', 'each member once');
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    this.#expect('[');
    if (this.#take(']')) return items;
    do {
      this.#path.push(items.length);
      const start = this.#startOfNext();
      items.push(this.#value());
      this.#leave(start);
    } while (this.#take(','));
    this.#expect(']');
    return items;
  }

  #startOfNext(): number {
    this.#peek();
    return this.#at;
  }

  /** After a member or an item. */
  #leave(start: number): void {
    this.#seen?.(this.#path, { start, end: this.#at });
    this.#path.pop();
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') throw this.#unexpected('a string');
    let [stop, end] = this.#stringStop(start + 1);
    const isPlain = stop === '"';
    while (stop === '\\') [stop, end] = this.#stringStop(end + 1);
    if (stop !== '"') throw this.#unexpected('a string');
    const text = isPlain ? this.#text.slice(start + 1, end - 1) : decode(this.#text.slice(start, end));
    if (text === null) throw this.#unexpected('a string');
    this.#token = start;
    this.#at = end;
    // An escape can spell what the text itself cannot hold.
    if (this.#rules.hazards === 'refuse' && !text.isWellFormed())
      throw this.#refusal('lone_surrogate', 'well-formed Unicode');
    return text;
  }

  /** The character that ends the plain part of a string, and where it ends itself; none at the end of the text. */
  #stringStop(from: number): [stop: string | undefined, end: number] {
    STRING_STOP.lastIndex = from;
    const stop = STRING_STOP.test(this.#text) ? this.#text[STRING_STOP.lastIndex - 1] : undefined;
    return [stop, STRING_STOP.lastIndex];
  }

  #number(): unknown {
    const text = this.#match(NUMBER);
    if (text === null) throw this.#unexpected('a value');
    const number = Number(text);
    const { numbers } = this.#rules;
    if (numbers === 'as written') return JSON.stringify(number) === text ? number : rawJSON(text);
    if (numbers === 'kept') return exactNumber(text) ?? rawJSON(text);
    if (!Number.isFinite(number))
      throw this.#refusal('number_not_finite', 'a number in the range of a double');
    return number;
  }

  /** Skips white space; the next character, empty at the end. */
  #peek(): string {
    // A pattern for each of thousands of brackets costs more than everything else.
    if (this.#text.charCodeAt(this.#at) <= 0x20) {
      SPACE.lastIndex = this.#at;
      SPACE.test(this.#text);
      this.#at = SPACE.lastIndex;
    }
    return this.#text.charAt(this.#at);
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw this.#unexpected(JSON.stringify(character));
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return null;
    this.#token = this.#at;
    this.#at = pattern.lastIndex;
    return this.#text.slice(this.#token, this.#at);
  }

  /** A value that is JSON, but not one that the rules accept. */
  #refusal(code: JsonFault['code'], expected: string): JsonFault {
    return this.#fault(code, expected, this.#token, Math.max(this.#at, this.#token + 1));
  }

  #unexpected(expected: string): JsonFault {
    return this.#fault('not_json', expected);
  }

  #fault(
    code: JsonFault['code'],
    expected: string,
    start = this.#at,
    end = Math.min(start + 1, this.#text.length),
  ): JsonFault {
    const found = start < this.#text.length ? JSON.stringify(this.#text.slice(start, start + 20)) : 'the end';
    return new JsonFault(code, { expected, found }, this.#path, { start, end });
  }
}

const MEMBER = { configurable: true, enumerable: true, writable: true } as const;

/** The text of a string literal; null where it has an unknown escape. */
function decode(literal: string): string | null {
  try {
    return JSON.parse(literal);
  } catch {
    return null;
  }
}
