/** A name with at most this many wrong, added or missing letters, and at most a third of its own, is taken for a misspelling. */
const MAX_DISTANCE = 3;

/** The name that was probably meant; null if none is near. All names come without a common prefix. */
export function nearestName(name: string, names: Iterable<string>): string | null {
  let nearest: string | null = null;
  let least = Math.min(MAX_DISTANCE, Math.ceil(name.length / 3)) + 1;
  for (const candidate of names) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** The number of letters to change, add or remove, or of neighbours to swap, with each letter touched once (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let previous: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? previous[j - 2]! + 1 : Infinity;
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1, swap));
    }
    [previous, row] = [row, next];
  }
  return row.at(-1)!;
}
