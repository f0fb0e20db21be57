import type { Session } from '../../simulation/protocol/session.ts';
import { JsonBytes } from './json-bytes.ts';
import { writeUpdate } from './write-update.ts';

/** A text, and what is to be called when nobody reads it any more. */
export interface Written {
  text: Buffer;
  release: () => void;
}

/** Pages of 16 KiB that wait for the next text; those beyond are left to the garbage collector. */
const SPARE = 64;

/** Writes updates into pages that are used again: bytes of thousands of texts a second would make it collect all the time. */
export class UpdateWriter {
  readonly #spare: JsonBytes[] = [];

  /** In UTF-8. Whoever does not release it costs no more than its memory, until it is forgotten. */
  write(session: Session): Written {
    const page = this.#spare.pop() ?? new JsonBytes();
    writeUpdate(session, page);
    const release = () => {
      page.clear();
      if (this.#spare.length < SPARE) this.#spare.push(page);
    };
    return { text: page.written, release };
  }
}
