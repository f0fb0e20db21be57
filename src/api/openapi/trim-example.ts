/** Enough to see what a list is of. */
const ITEMS = 2;

/** The same value with no more than the first items of each list, so that a whole file can stand as an example. */
export function trimExample(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, ITEMS).map(trimExample);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, trimExample(member)]));
}

/** The header and the first rows of a CSV text, of whole lines only; a line end inside a cell ends no row. */
export function trimTable(text: string, rows: number): string {
  let isQuoted = false;
  let lines = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') isQuoted = !isQuoted;
    if (text[index] !== '\n' || isQuoted) continue;
    lines += 1;
    if (lines === rows + 1) return text.slice(0, index + 1);
  }
  return text.slice(0, text.lastIndexOf('\n') + 1);
}
