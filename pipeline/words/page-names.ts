import { createHash } from 'node:crypto';
import { isPlainName } from './plain-name.ts';

const HASH_LENGTH = 10;

/**
 * The name of each id's page in addresses: the id in lower case, `ATLAS` → `atlas`. An id from the ledger may be any text, even
 * `../x`. If it is not a plain name, is reserved, or collides with an earlier one (`Atlas` after `ATLAS`), its name is the plain
 * part of it and a hash. Names stay distinct on file systems that ignore case. An id keeps its name as long as the ids before it
 * stay the same.
 */
export function pageNames(ids: readonly string[]): Map<string, string> {
  const used = new Set<string>();
  const names = new Map<string, string>();
  for (const id of ids) {
    if (names.has(id)) continue;
    let name = isPlainName(id) ? id.toLowerCase() : hashedName(id, id);
    // An id may equal the hashed name of another.
    for (let count = 0; used.has(name); count += 1)
      name = hashedName(id, count === 0 ? id : `${id}\0${count}`);
    used.add(name);
    names.set(id, name);
  }
  return names;
}

/**
 * The names of the deliberations' pages, in the order of their first opening, since closing says nothing of which id came first.
 * `archived`: the rows of the archive, in any order. `current`: the ids in deliberations.json, last opened first, partly archived as well.
 */
export function deliberationNames(
  archived: readonly { id: string; opened: string }[],
  current: readonly string[],
): Map<string, string> {
  const byOpening = archived.toSorted((one, other) => Date.parse(one.opened) - Date.parse(other.opened));
  const ids = [...new Set(byOpening.map(({ id }) => id))];
  const places = new Map(ids.map((id, index) => [id, index]));
  let next = ids.length;
  for (const id of current) {
    const place = places.get(id);
    if (place === undefined) ids.splice(next, 0, id);
    else next = Math.min(next, place);
  }
  return pageNames(ids);
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
