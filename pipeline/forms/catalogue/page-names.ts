import { createHash } from 'node:crypto';

/** What a page may be called in an address, on a disk, and in every server's configuration: ASCII, no dot beside another. */
const PLAIN = /^(?=.{1,100}$)[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9]))*$/;
/** Lists by year, and names that Windows, static hosts or the site's build give a meaning to. */
const RESERVED =
  /^(in-\d{4}|web\.config|(index|con|prn|aux|nul|com\d|lpt\d)(\..*)?|.*\.(html?|xhtml|br|gz|zst))$/;
const HASH_LENGTH = 10;

/**
 * A page's name in its address for each id: the id in lower case, `ATLAS` → `atlas`. An id of the ledger may hold anything,
 * `../x` too: one that is no plain name, that is reserved, or whose name an earlier one has, such as `Atlas` after `ATLAS`, has
 * what is plain of it and a hash. Names are told apart by file systems that ignore case, too. An id keeps its name as long
 * as the ids before it stay the same.
 */
export function pageNames(ids: readonly string[]): Map<string, string> {
  const used = new Set<string>();
  const names = new Map<string, string>();
  for (const id of ids) {
    if (names.has(id)) continue;
    let name = plainName(id) ?? hashedName(id, id);
    // An id can be written so that it is the hashed name of another.
    for (let count = 0; used.has(name); count += 1)
      name = hashedName(id, count === 0 ? id : `${id}\0${count}`);
    used.add(name);
    names.set(id, name);
  }
  return names;
}

function plainName(id: string): string | null {
  const lower = id.toLowerCase();
  return PLAIN.test(id) && !RESERVED.test(lower) ? lower : null;
}

function hashedName(id: string, hashed: string): string {
  const plain = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '');
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, HASH_LENGTH);
  return plain === '' ? hash : `${plain}-${hash}`;
}

/**
 * The newest cycles have a page each; of older ones, their year's page has what is most asked for. A cycle is a day, so this
 * is nearly three years, and what a build writes stays bounded.
 */
export const MOST_CYCLE_PAGES = 1000;

/** Path of a cycle's page, from its number and how many cycles ago it was; null where it has none. */
export function cyclePath(number: number, back: number): string | null {
  const hasPage = Number.isSafeInteger(number) && number >= 0 && back < MOST_CYCLE_PAGES;
  return hasPage ? `cycles/c-${number}/` : null;
}
