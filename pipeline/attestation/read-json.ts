import { type Problem, type ProblemCode, problem, quote } from './problem.ts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

/** No attestation has a reason to be longer; what is longer is not looked at. */
export const MAX_BYTES = 65_536;
/** The document itself is one level; its own members reach the fourth, and `metadata` is open. */
export const MAX_DEPTH = 16;

export type Read = { value: Json; problem: null } | { value: null; problem: Problem };

/**
 * JSON (RFC 8259) that says one thing only, to every reader: UTF-8 without a byte order mark, no two members of one name, no
 * lone surrogate, no number that a double cannot hold, bounded in size and depth. `JSON.parse` keeps the last of two
 * members and reads 1e999 as infinity; what was signed must not depend on such habits.
 */
export function readJson(input: string | Uint8Array): Read {
  try {
    return { value: new Reader(decode(input)).document(), problem: null };
  } catch (refusal) {
    if (refusal instanceof Refusal) return { value: null, problem: refusal.problem };
    throw refusal;
  }
}

/** Ends the reading; never leaves this file. */
class Refusal {
  readonly problem: Problem;

  constructor(code: ProblemCode, path: readonly PropertyKey[], detail?: string) {
    this.problem = problem(code, path, detail);
  }
}

function decode(input: string | Uint8Array): string {
  // A character is at least a byte, so this is seen before anything is made of it.
  if (input.length > MAX_BYTES) throw new Refusal('too_large', []);
  const bytes = typeof input === 'string' ? new TextEncoder().encode(input) : input;
  if (bytes.length > MAX_BYTES) throw new Refusal('too_large', []);
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
const LITERAL = /true|false|null/y;

class Reader {
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    const value = this.#value();
    if (this.#peek() !== '') throw this.#unexpected('the end');
    return value;
  }

  #value(): Json {
    const first = this.#peek();
    if (first === '{' || first === '[') {
      if (this.#path.length >= MAX_DEPTH) throw new Refusal('too_deep', this.#path);
      return first === '{' ? this.#object() : this.#array();
    }
    if (first === '"') return this.#string();
    const literal = this.#match(LITERAL);
    return literal === null ? this.#number() : JSON.parse(literal);
  }

  #object(): JsonObject {
    const members: JsonObject = {};
    this.#expect('{');
    if (this.#take('}')) return members;
    do {
      this.#peek();
      const name = this.#string();
      this.#path.push(name);
      if (name === '__proto__') throw new Refusal('forbidden_member', this.#path);
      if (Object.hasOwn(members, name)) throw new Refusal('duplicate_member', this.#path);
      this.#expect(':');
      members[name] = this.#value();
      this.#path.pop();
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
      items.push(this.#value());
      this.#path.pop();
    } while (this.#take(','));
    this.#expect(']');
    return items;
  }

  #string(): string {
    const literal = this.#match(STRING);
    if (literal === null) throw this.#unexpected('a string');
    const text: string = JSON.parse(literal);
    // An escape can spell what the text itself cannot hold.
    if (!text.isWellFormed()) throw new Refusal('lone_surrogate', this.#path);
    return text;
  }

  #number(): number {
    const literal = this.#match(NUMBER);
    if (literal === null) throw this.#unexpected('a value');
    const number = Number(literal);
    if (!Number.isFinite(number)) throw new Refusal('number_not_finite', this.#path);
    return number;
  }

  /** Passes over space; the next character, empty at the end. */
  #peek(): string {
    this.#match(SPACE);
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
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #unexpected(expected: string): Refusal {
    const found = this.#at < this.#text.length ? quote(this.#text.slice(this.#at, this.#at + 10)) : 'the end';
    return new Refusal(
      'not_json',
      this.#path,
      `Not JSON at character ${this.#at}: expected ${expected}, found ${found}.`,
    );
  }
}
