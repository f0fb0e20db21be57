/** Strings and the punctuation that structures a JSON text; everything else is numbers, literals and white space. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

interface Level {
  /** Names seen so far; null in an array. */
  names: Set<string> | null;
  /** The member or element being read. */
  at: string | number;
}

/**
 * Where a JSON text gives one member twice in the same object (RFC 8259 §4 leaves its meaning open, and JSON.parse
 * keeps the last without a word), or names one `__proto__`, which a copy of the object would lose.
 * Returns the path to the first such member, null where there is none. `text` has to be valid JSON.
 */
export function findBadMemberName(text: string): (string | number)[] | null {
  const levels: Level[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{') levels.push({ names: new Set(), at: '' });
    else if (token === '[') levels.push({ names: null, at: 0 });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && typeof level?.at === 'number') level.at += 1;
    else if (token === ':' && level?.names) {
      level.at = JSON.parse(last) as string;
      if (level.names.has(level.at) || level.at === '__proto__') return levels.map(({ at }) => at);
      level.names.add(level.at);
    }
    last = token;
  }
  return null;
}
