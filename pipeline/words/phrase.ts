/** Made when the first list is written: every page that takes a word from here would otherwise wait for it. */
let made: Intl.ListFormat | undefined;

/** `['a', 'b', 'c']` → `a, b and c`. */
export function formatList(items: readonly string[]): string {
  made ??= new Intl.ListFormat('en-GB', { type: 'conjunction' });
  return made.format(items);
}

/** A snake_case token in a sentence: `support_with_conditions` → `support with conditions`, `mic_mint` → `MIC mint`. */
export function formatToken(token: string): string {
  return token.replaceAll('_', ' ').replace(/\b(mic|mii|gi)\b/g, (name) => name.toUpperCase());
}

/** `FOR-GOVERNMENTS` → `Governments`, `DIPLOMACY` → `Diplomacy`; another name stays as it is. */
export function formatCathedral(name: string): string {
  const [, own = name] = /^FOR-([A-Z]+)$/.exec(name) ?? [];
  return own.charAt(0) + (/^[A-Z]+$/.test(own) ? own.slice(1).toLowerCase() : own.slice(1));
}

/** `reached` → `Reached`. */
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * The text, cut at a word with an ellipsis if it is too long for a title, because a text in the ledger can be pages long. `most`: characters
 * before the ellipsis.
 */
export function shortText(text: string, most = 110): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most);
  const end = cut.lastIndexOf(' ');
  return `${end > most / 2 ? cut.slice(0, end) : cut.replace(/[\uD800-\uDBFF]$/, '')} …`;
}
