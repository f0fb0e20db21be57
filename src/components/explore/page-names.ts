import { createHash } from 'node:crypto';

/** What a page may be called in an address, on a disk, and in every server's configuration. */
const PLAIN = /^[a-z0-9][a-z0-9._-]{0,99}$/;
const HASH_LENGTH = 10;

/**
 * A page's name in its address for each id: the id in lower case, `ATLAS` → `atlas`. An id of the ledger may hold anything,
 * `../x` too: one that is no plain name, that is `taken`, or that differs from an earlier one by its case only has what is
 * plain of it and a hash. The same ids in the same order give the same names.
 */
export function pageNames(ids: readonly string[], taken: readonly string[] = []): Map<string, string> {
  const used = new Set(taken);
  const names = new Map<string, string>();
  for (const id of ids) {
    if (names.has(id)) continue;
    const lower = id.toLowerCase();
    const name = PLAIN.test(lower) && !used.has(lower) ? lower : hashedName(id, lower);
    used.add(name);
    names.set(id, name);
  }
  return names;
}

function hashedName(id: string, lower: string): string {
  const plain = lower
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replaceAll(/^-+|-+$/g, '');
  const hash = createHash('sha256').update(id).digest('hex').slice(0, HASH_LENGTH);
  return plain === '' ? hash : `${plain}-${hash}`;
}
