/** Text on one line, without characters that move a terminal's cursor or reverse its writing direction. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)!.toString(16)}}`;
  });
}
