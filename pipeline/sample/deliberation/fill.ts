const PLACE = /([.?] |)\{([a-zA-Z]+)\}/g;
/** `ledger-client`, `ledger.read.export`: written in its own way everywhere. */
const IDENTIFIER = /^[a-z]+(?:[-._][a-z]+)+$/;

/** Puts the words into a text's places; one that begins a sentence gets a capital. A place without a word is an error. */
export function fill(text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(PLACE, (_, before: string, name: string, offset: number) => {
    const word = words[name];
    if (word === undefined) throw new Error(`no word for {${name}} in: ${text}`);
    const begins = before !== '' || offset === 0;
    return before + (begins && !IDENTIFIER.test(word) ? word[0]!.toUpperCase() + word.slice(1) : word);
  });
}
