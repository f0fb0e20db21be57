import type { Session } from '../../simulation/protocol/session.ts';
import { JsonBytes } from './json-bytes.ts';
import { writeUpdate } from './write-update.ts';

/** A text, and what is to be called when nobody reads it any more. */
export interface Written {
  text: Buffer;
  release: () => void;
}

/** Pages that wait for the next texts; those beyond are left to the garbage collector. */
const SPARE = 256;

/** Writes updates into pages that are used again: bytes of thousands of texts a second would make it collect all the time. */
export class UpdateWriter {
  readonly #spare: JsonBytes[] = [];

  /** In UTF-8, one text for each session. Whoever does not release them costs no more than their page, until it is forgotten. */
  write(sessions: readonly Session[]): Texts {
    const page = this.#spare.pop() ?? new JsonBytes();
    const ends = sessions.map((session) => {
      writeUpdate(session, page);
      return page.length;
    });
    return new Texts(page.written, ends, () => {
      page.clear();
      if (this.#spare.length < SPARE) this.#spare.push(page);
    });
  }
}

/** Texts of one page, which is given back once all of them are released. */
export class Texts {
  readonly #bytes: Buffer;
  readonly #ends: readonly number[];
  readonly #giveBack: () => void;
  #taken = 0;
  #released = 0;

  constructor(bytes: Buffer, ends: readonly number[], giveBack: () => void) {
    this.#bytes = bytes;
    this.#ends = ends;
    this.#giveBack = giveBack;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Texts that were not taken yet. */
  get left(): number {
    return this.#ends.length - this.#taken;
  }

  /** In their order; to be called while some are left. */
  next(): Written {
    const begin = this.#taken === 0 ? 0 : this.#ends[this.#taken - 1]!;
    const text = this.#bytes.subarray(begin, this.#ends[this.#taken]);
    this.#taken += 1;
    return { text, release: () => this.#release(1) };
  }

  /** Releases those that are left. */
  drop(): void {
    const { left } = this;
    this.#taken += left;
    if (left > 0) this.#release(left);
  }

  #release(count: number): void {
    this.#released += count;
    if (this.#released === this.#ends.length) this.#giveBack();
  }
}
