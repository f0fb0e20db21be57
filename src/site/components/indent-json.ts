/** A string, a bracket, a comma, a colon, or a number or word; white space between them is passed over. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;
const OPENING: ReadonlySet<string> = new Set(['{', '[']);
const CLOSING: ReadonlySet<string> = new Set(['}', ']']);

/**
 * JSON text, or the beginning of one, with 2-space indentation, as `JSON.stringify(value, null, 2)` writes it. Numbers keep
 * their digits, and the text may break off anywhere.
 */
export function indentJson(text: string): string {
  let out = '';
  let before = '';
  let depth = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    if (CLOSING.has(token)) depth -= 1;
    if (startsLine(before, token)) out += `\n${'  '.repeat(depth)}`;
    out += token === ':' ? ': ' : token;
    if (OPENING.has(token)) depth += 1;
    before = token;
  }
  return out;
}

/** What is in brackets has lines of its own; nothing in brackets has none. */
function startsLine(before: string, token: string): boolean {
  if (CLOSING.has(token)) return !OPENING.has(before);
  return before === ',' || OPENING.has(before);
}
