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

function hashedName(id: string, hashed: string): string {
  const plain = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '');
  const hash = createHash('sha256').update(hashed).digest('hex').slice(0, HASH_LENGTH);
  return plain === '' ? hash : `${plain}-${hash}`;
}
