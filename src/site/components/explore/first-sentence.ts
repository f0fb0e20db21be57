/** `A. B.` → `A.`: up to the first full stop, question or exclamation mark that a new sentence follows. */
export function firstSentence(text: string): string {
  const [first = ''] = /^.*?[.?!](?=\s+\p{Lu}|\s*$)/su.exec(text.trim()) ?? [text.trim()];
  return first;
}
