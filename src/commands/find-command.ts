interface Found {
  /** Of one word or two; null where there is none of this name. */
  name: string | null;
  /** What follows the name. */
  args: string[];
  /** Names of two words that begin with the first one. */
  group: string[];
}

/** `keys issue --tier …` → `keys issue` and its flags. */
export function findCommand(words: readonly string[], names: readonly string[]): Found {
  const [first = '', second = ''] = words;
  const group = names.filter((name) => name.startsWith(`${first} `));
  const length = group.length > 0 ? 2 : 1;
  const name = [first, second].slice(0, length).join(' ');
  const isKnown = names.includes(name);
  return { name: isKnown ? name : null, args: words.slice(isKnown ? length : 1), group };
}
