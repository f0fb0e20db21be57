import { type EventWarning, namesOf } from './draft.ts';
import type { LedgerEvent } from './event.ts';

/** A text without any of these is ASCII with single spaces, in which nothing but the case can differ. */
const UNUSUAL = /[^ -~]|^ | $| {2}/;

/** One text for all names that differ only by white space, case, normal form, the kind of dash or apostrophe, or characters that nobody sees. */
export function looksLike(name: string): string {
  if (!UNUSUAL.test(name)) return name.toLowerCase();
  return (
    name
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/\p{Cf}+/gu, '')
      // Word and Excel put them in place of - and '.
      .replaceAll(/\p{Pd}|\u2212/gu, '-')
      .replaceAll(/[‘’ʼ]/g, "'")
      .replaceAll(/\s+/gu, ' ')
      .trim()
  );
}

/** Names that are compared: no more, so that millions of ids need no memory. */
const MOST_NAMES = 100_000;

/** A name as JSON, in which what nobody sees, or takes for other letters, is an escape: `"Wa\u0308rme"`. */
export function shown(name: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(name).replaceAll(/[^ -~]/gu, (letter) => {
    const isPlain = /^[^\p{M}\p{C}\p{Z}]$/u.test(letter) && letter === letter.normalize('NFKC');
    return isPlain ? letter : letter.split('').map(escaped).join('');
  });
}

/** A name, and the place that has it first. */
interface First {
  name: string;
  place: string;
}

/** Finds names that differ from one before them only by white space, case, normal form or a kind of dash or apostrophe. */
export class LookAlikes {
  readonly #names: Map<string, First>;
  readonly #keep: (key: string, first: First) => void;

  /** `known`: by what they look like. `keep` receives each new one. */
  constructor(
    known: Iterable<readonly [key: string, First]> = [],
    keep = (_: string, __: First): void => {},
  ) {
    this.#names = new Map(known);
    this.#keep = keep;
  }

  /** Warnings about the names of the next event. */
  of(event: LedgerEvent, place: string): EventWarning[] {
    return namesOf(event).flatMap(([member, name]) => {
      // An agent reports as the sentinel of its name.
      const key = `${member === 'agent' ? 'data.sentinel' : member} ${looksLike(name)}`;
      const known = this.#names.get(key);
      if (known === undefined && this.#names.size < MOST_NAMES) {
        this.#names.set(key, { name, place });
        this.#keep(key, { name, place });
      }
      if (known === undefined || known.name === name) return [];
      const expected = `${member} to be ${shown(known.name)}, as in ${known.place}`;
      return [{ kind: 'name', expected, found: `${shown(name)}, which looks like it` }];
    });
  }
}
