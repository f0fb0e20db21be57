import { type EventWarning, namesOf } from './draft.ts';
import type { LedgerEvent } from './event.ts';

/** A text without any of these is ASCII with single spaces, in which nothing but the case can differ. */
const UNUSUAL = /[^ -~]|^ | $| {2}/;

/** Letters of Cyrillic, and the Latin ones that look the same, small or as capitals: whoever types with two layouts mixes them. */
const CYRILLIC = 'авекмнорстухіјѕһԁԛԝ';
const LATIN = 'abekmhopctyxijshdqw';
const TWIN = new RegExp(`[${CYRILLIC}]`, 'gu');

/**
 * One text for all names that differ only by white space, case, normal form, the kind of dash or apostrophe, Cyrillic letters that look like
 * Latin ones, or characters that nobody sees.
 */
export function looksLike(name: string): string {
  if (!UNUSUAL.test(name)) return name.toLowerCase();
  return (
    name
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(TWIN, (twin) => LATIN[CYRILLIC.indexOf(twin)]!)
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

/**
 * A name as JSON, in which what nobody sees, or takes for other letters, is an escape: `"Wa\u0308rme"`. So is a Cyrillic letter that looks like a
 * Latin one, where there are Latin ones in this name or the one beside it.
 */
export function shown(name: string, beside = ''): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const isLatin = /[a-z]/i.test(name + beside);
  return JSON.stringify(name).replaceAll(/[^ -~]/gu, (letter) => {
    const isPlain = /^[^\p{M}\p{C}\p{Z}]$/u.test(letter) && letter === letter.normalize('NFKC');
    return isPlain && !(isLatin && CYRILLIC.includes(letter.toLowerCase()))
      ? letter
      : letter.split('').map(escaped).join('');
  });
}

/** A name, and the place that has it first. */
interface First {
  name: string;
  place: string;
}

/** Finds names that look like one before them, as `looksLike` says. */
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
      const expected = `${member} to be ${shown(known.name, name)}, as in ${known.place}`;
      return [{ kind: 'name', expected, found: `${shown(name, known.name)}, which looks like it` }];
    });
  }
}
