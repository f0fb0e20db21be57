/** Embeddings, overrides and isolates of the Unicode bidirectional algorithm (UAX #9), and what ends them. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text with the characters that would turn the writing after it round shown by their names: `a[U+202E]b`. */
export function showDirections(text: string): string {
  return text.replace(DIRECTIONS, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`);
}

/** Scripts, styles and comments whole, or a tag, whose attributes may hold `>`. */
const MARKUP =
  /<(script|style)\b[^>]*>[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->|<\/?[a-z](?:"[^"]*"|'[^']*'|[^"'>])*>/gi;
/** Attributes that are read to somebody; the others are for programs, such as the value that a form sends. */
const READ_OUT = /(\s(?:content|title|alt|aria-label|placeholder)=)("[^"]*"|'[^']*')/gi;

/** The same for a page: its text, and the attributes that are read out. */
export function showDirectionsInHtml(html: string): string {
  if (html.search(DIRECTIONS) < 0) return html;
  let shown = '';
  let end = 0;
  for (const { 0: markup, 1: whole, index } of html.matchAll(MARKUP)) {
    shown += showDirections(html.slice(end, index));
    const isTag = whole === undefined && !markup.startsWith('<!--');
    shown += isTag ? markup.replace(READ_OUT, (_, name, value) => name + showDirections(value)) : markup;
    end = index + markup.length;
  }
  return shown + showDirections(html.slice(end));
}
