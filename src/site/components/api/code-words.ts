/** Text in which backticks mark code, in pieces: `needs `A`` → needs, A. */
export function codeWords(text: string): { text: string; isCode: boolean }[] {
  return text.split('`').map((piece, index) => ({ text: piece, isCode: index % 2 === 1 }));
}
