/** On one line and without characters that move a terminal's cursor or turn its writing round. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}
