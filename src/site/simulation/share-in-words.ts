/** Shares that have a name. */
const NAMED: readonly (readonly [number, string])[] = [
  [0, 'none'],
  [0.1, 'a tenth'],
  [0.2, 'a fifth'],
  [0.25, 'a quarter'],
  [0.3, 'three tenths'],
  [1 / 3, 'a third'],
  [0.4, 'two fifths'],
  [0.5, 'half'],
  [0.6, 'three fifths'],
  [2 / 3, 'two thirds'],
  [0.7, 'seven tenths'],
  [0.75, 'three quarters'],
  [0.8, 'four fifths'],
  [0.9, 'nine tenths'],
  [1, 'all'],
];
/** A share this near to a named one is called by its name without “about”. */
const EXACT = 0.005;

/** `0.75` → `three quarters`, `0.68` → `about two thirds`. */
export function shareInWords(share: number): string {
  const [value, words] = NAMED.reduce((best, one) =>
    Math.abs(one[0] - share) < Math.abs(best[0] - share) ? one : best,
  );
  return Math.abs(value - share) <= EXACT ? words : `about ${words === 'none' ? 'a twentieth' : words}`;
}

/** `14` of `20` → `most`: how many of the forecast futures. */
export function mostOf(count: number, all: number): string {
  if (count === 0) return 'none';
  if (count === all) return 'all';
  const share = count / all;
  if (share < 0.3) return 'few';
  if (share < 0.45) return 'less than half';
  return share <= 0.55 ? 'about half' : 'most';
}
