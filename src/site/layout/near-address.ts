/** At most so many suggestions. */
const MOST = 5;
/** A part of an address that has less than half of its letter pairs in common is another word. */
const LEAST = 0.5;

/** `/economy/mic-histroy.csv` → `economy`, `mic`, `histroy`; without endings and numbers, which pages do not contain as words. */
export function addressWords(path: string): string[] {
  return parts(path).flatMap((part) =>
    part
      .replace(/\.(csv|json|html?|md|ndjson|parquet|xlsx|pdf|svg|png|zip|bib|ris|txt)$/i, '')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => /\p{L}/u.test(word)),
  );
}

/** Those of the candidates whose addresses resemble the path, the most similar first: misspelt, or the folder that it would be in. */
export function nearAddresses<T extends readonly [href: string, ...unknown[]]>(
  path: string,
  candidates: readonly T[],
): T[] {
  const asked = parts(path);
  return candidates
    .map((candidate) => ({ candidate, score: similarity(asked, parts(candidate[0])) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST)
    .map(({ candidate }) => candidate);
}

/** The parts of a path, with what cannot be decoded as it is. */
function parts(path: string): string[] {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== 'index.html')
    .map((part) => {
      try {
        return decodeURIComponent(part).toLowerCase();
      } catch {
        return part.toLowerCase();
      }
    });
}

/** For each part of the address that was asked for, how much of its best match; 0 without a good one. `files` is in most addresses, so it says little. */
function similarity(asked: readonly string[], offered: readonly string[]): number {
  const scores = asked.map((part) => Math.max(0, ...offered.map((other) => alike(part, other))));
  const good = scores.filter((score) => score >= LEAST);
  const specific = asked.some(
    (part, index) => part !== 'files' && part !== 'charts' && scores[index]! >= LEAST,
  );
  const isFolder = offered.every((part, index) => part === asked[index]);
  if (!specific && !isFolder) return 0;
  return good.reduce((sum, score) => sum + score, 0) - offered.length / 10;
}

/** Dice's coefficient over pairs of letters: 1 for the same word, 0 for words without a common pair. */
function alike(one: string, other: string): number {
  if (one === other) return 1;
  const [own, its] = [pairs(one), pairs(other)];
  const common = [...own].filter((pair) => its.has(pair)).length;
  return own.size + its.size === 0 ? 0 : (2 * common) / (own.size + its.size);
}

function pairs(word: string): Set<string> {
  return new Set(Array.from({ length: Math.max(0, word.length - 1) }, (_, at) => word.slice(at, at + 2)));
}
