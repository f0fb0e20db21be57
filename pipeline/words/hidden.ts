import * as z from 'zod/mini';

/**
 * What reverses a text, breaks it or is seen by nobody, so that two names look the same. What joins letters and emoji is seen by what it does.
 */
const HIDDEN =
  /(?![\u200c\u200d]|\p{Variation_Selector})[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\ufff9-\ufffb]/u;

/** `U+202E (character 4)`: the first that nobody sees; null: there is none. */
export function hiddenIn(text: string): string | null {
  const found = HIDDEN.exec(text);
  if (!found) return null;
  const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} (character ${[...text.slice(0, found.index)].length + 1})`;
}

/** Its message says more than any description of the form. */
export const visible = z.refine<string>((text) => hiddenIn(text) === null, {
  error: ({ input }) => `text without ${hiddenIn(String(input))}, which nobody sees`,
  params: { isPrecise: true },
});
