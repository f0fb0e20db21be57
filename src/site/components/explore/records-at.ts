/** What a page is of: the newest record at its address, those before it under the same id, and its neighbours. */
export interface Records<T> {
  one: T | null;
  /** Newest first: what a later record has corrected, or what was opened again. */
  previous: readonly T[];
  later: T | null;
  earlier: T | null;
}

/** `all` is newest first. */
export function recordsAt<T extends { href: string }>(all: readonly T[], href: string): Records<T> {
  const [one = null, ...previous] = all.filter((record) => record.href === href);
  const at = one ? all.indexOf(one) : 0;
  const isOther = (record: T) => record.href !== href;
  const later = all.slice(0, at).findLast(isOther) ?? null;
  return { one, previous, later, earlier: all.slice(at).find(isOther) ?? null };
}
