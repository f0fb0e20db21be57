/** `utility_token` → `utility token`: how a snake_case token reads in a sentence. */
export function formatToken(token: string): string {
  return token.replaceAll('_', ' ');
}

/** Its first letter as a capital. */
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `['a', 'b', 'c']` → `a, b and c`. */
export function formatList(items: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(items);
}
