import { formatPointer, type Problem, type ProblemCode, problem, quote } from './problem.ts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

/** No attestation has a reason to be longer; what is longer is not looked at. */
export const MAX_BYTES = 65_536;
/** The document itself is one level; its own members reach the fourth, and `metadata` is open. */
export const MAX_DEPTH = 16;

export type Read = { value: Json; problem: null } | { value: null; problem: Problem };

export interface JsonLimits {
  maxBytes: number;
  /** Of objects and arrays in each other, the outermost one counted. */
  maxDepth: number;
}

const OF_DOCUMENTS: JsonLimits = { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH };

/**
 * JSON (RFC 8259) that says one thing only, to every reader: UTF-8 without a byte order mark, no two members of one name, no
 * lone surrogate, no number that a double cannot hold, bounded in size and depth. `JSON.parse` keeps the last of two
 * members and reads 1e999 as infinity; what was signed must not depend on such habits.
 */
export function readJson(input: string | Uint8Array, limits: JsonLimits = OF_DOCUMENTS): Read {
  try {
    return { value: new Reader(decode(input, limits), limits).document(), problem: null };
  } catch (refusal) {
    if (refusal instanceof Refusal) return { value: null, problem: refusal.problem };
    throw refusal;
  }
}

/** A part of a text, in UTF-16 units; `end` is not in it. */
export interface Range {
  start: number;
  end: number;
}

export interface Places {
  /** Of each value with the name before it, by its JSON Pointer. */
  values: ReadonlyMap<string, Range>;
  /** What the reading stopped at; null where it came to the end. */
  stop: Range | null;
}

/** Where everything stands in a text that may be a document, or as much of it as can be read. */
export function placesIn(text: string): Places {
  const values = new Map<string, Range>();
  try {
    const seen: Seen = (path, range) => values.set(formatPointer(path), range);
    new Reader(decode(text, OF_DOCUMENTS), OF_DOCUMENTS, seen).document();
    return { values, stop: null };
  } catch (refusal) {
    if (refusal instanceof Refusal) return { values, stop: refusal.range };
    throw refusal;
  }
}

/** Ends the reading; never leaves this file. */
class Refusal {
  readonly problem: Problem;
  /** What was read last, or could not be read; null where it is about the whole. */
  readonly range: Range | null;

  constructor(code: ProblemCode, path: readonly PropertyKey[], detail?: string, range: Range | null = null) {
    this.problem = problem(code, path, detail);
    this.range = range;
  }
}

function decode(input: string | Uint8Array, { maxBytes }: JsonLimits): string {
  // A character is at least a byte, so this is seen before anything is made of it.
  const bytes =
    input.length > maxBytes || typeof input !== 'string' ? input : new TextEncoder().encode(input);
  if (bytes.length > maxBytes) throw new Refusal('too_large', [], `It has more than ${maxBytes} bytes.`);
  if (typeof input === 'string') return withoutMark(input);
  try {
    return withoutMark(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input));
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal('not_utf8', []);
  }
}

function withoutMark(text: string): string {
  if (text.startsWith('\ufeff')) throw new Refusal('not_utf8', []);
  if (!text.isWellFormed()) throw new Refusal('lone_surrogate', []);
  return text;
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LETTER = /[a-z]/;
const LITERAL = /true|false|null/y;

type Seen = (path: readonly PropertyKey[], range: Range) => void;

class Reader {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #seen: Seen | undefined;
  readonly #path: (string | number)[] = [];
  #at = 0;
  /** Where the string, number or word that was read last begins. */
  #token = 0;

  constructor(text: string, { maxDepth }: JsonLimits, seen?: Seen) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#seen = seen;
  }

  document(): Json {
    const value = this.#value();
    if (this.#peek() !== '') throw this.#unexpected('the end');
    return value;
  }

  #value(): Json {
    const first = this.#peek();
    if (first === '{' || first === '[') {
      if (this.#path.length >= this.#maxDepth) throw this.#tooDeep();
      return first === '{' ? this.#object() : this.#array();
    }
    if (first === '"') return this.#string();
    const literal = LETTER.test(first) ? this.#match(LITERAL) : null;
    return literal === null ? this.#number() : JSON.parse(literal);
  }

  #object(): JsonObject {
    const members: JsonObject = {};
    this.#expect('{');
    if (this.#take('}')) return members;
    do {
      this.#peek();
      const start = this.#at;
      const name = this.#string();
      this.#path.push(name);
      if (name === '__proto__') throw this.#refusal('forbidden_member');
      if (Object.hasOwn(members, name)) throw this.#refusal('duplicate_member');
      this.#expect(':');
      members[name] = this.#value();
      this.#leave(start);
    } while (this.#take(','));
    this.#expect('}');
    return members;
  }

  #array(): Json[] {
    const items: Json[] = [];
    this.#expect('[');
    if (this.#take(']')) return items;
    do {
      this.#path.push(items.length);
      this.#peek();
      const start = this.#at;
      items.push(this.#value());
      this.#leave(start);
    } while (this.#take(','));
    this.#expect(']');
    return items;
  }

  /** A value has been read, with the name before it. */
  #leave(start: number): void {
    this.#seen?.(this.#path, { start, end: this.#at });
    this.#path.pop();
  }

  #string(): string {
    const literal = this.#match(STRING);
    if (literal === null) throw this.#unexpected('a string');
    const text: string = JSON.parse(literal);
    // An escape can spell what the text itself cannot hold.
    if (!text.isWellFormed()) throw this.#refusal('lone_surrogate');
    return text;
  }

  #number(): number {
    const literal = this.#match(NUMBER);
    if (literal === null) throw this.#unexpected('a value');
    const number = Number(literal);
    if (!Number.isFinite(number)) throw this.#refusal('number_not_finite');
    return number;
  }

  /** Passes over space; the next character, empty at the end. */
  #peek(): string {
    // A pattern for each of thousands of brackets costs more than all the rest.
    if (this.#text.charCodeAt(this.#at) <= 0x20) this.#match(SPACE);
    return this.#text.charAt(this.#at);
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw this.#unexpected(quote(character));
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return null;
    const start = this.#at;
    if (pattern !== SPACE) this.#token = start;
    this.#at = pattern.lastIndex;
    return this.#text.slice(start, this.#at);
  }

  #refusal(code: ProblemCode): Refusal {
    const range = { start: this.#token, end: Math.max(this.#at, this.#token + 1) };
    return new Refusal(code, this.#path, undefined, range);
  }

  #tooDeep(): Refusal {
    const detail = `It is nested more than ${this.#maxDepth} levels deep.`;
    return new Refusal('too_deep', this.#path, detail, { start: this.#at, end: this.#at + 1 });
  }

  #unexpected(expected: string): Refusal {
    const found = this.#at < this.#text.length ? quote(this.#text.slice(this.#at, this.#at + 10)) : 'the end';
    const detail = `Not JSON at character ${this.#at}: expected ${expected}, found ${found}.`;
    const end = Math.min(this.#at + 1, this.#text.length);
    return new Refusal('not_json', this.#path, detail, { start: this.#at, end });
  }
}
