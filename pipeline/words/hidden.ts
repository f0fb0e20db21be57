import * as z from 'zod/mini';

/**
 * What reverses a text, breaks it or is seen by nobody, so that two names look the same. What joins letters and emoji is seen by what it does, and
 * so is what makes a flag that of a region.
 */
const HIDDEN =
  /(?![\u200c\u200d]|\p{Variation_Selector}|(?<=\u{1f3f4}[\u{e0030}-\u{e007a}]{0,6})[\u{e0030}-\u{e007f}])[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\ufff9-\ufffb]/u;

/**
 * Ordinary prose has them: soft hyphens and other places where a line may break or not, also between words of Thai and Khmer; marks that keep
 * punctuation on its side in Arabic and Hebrew; and what orders marks and vowels in Hebrew, Korean and Mongolian.
 */
const OF_PROSE = /\u034f|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2060]/g;

/** The first hidden character of a text and its place, `U+202E (character 4)`; null if it has none. */
export function hiddenIn(text: string): string | null {
  const found = HIDDEN.exec(text);
  if (!found) return null;
  const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} (character ${[...text.slice(0, found.index)].length + 1})`;
}

/** A name or an address. */
export const visible = without(hiddenIn);

/** A text that is read rather than compared. */
export const legible = without((text) => hiddenIn(text.replace(OF_PROSE, '-')));

/** Its message says more than any description of the form. */
function without(find: (text: string) => string | null) {
  return z.refine<string>((text) => find(text) === null, {
    error: ({ input }) => `text without ${find(String(input))}, which nobody sees`,
    params: { isPrecise: true },
  });
}
