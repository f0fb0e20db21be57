/** Embeddings, overrides and isolates of the Unicode bidirectional algorithm (UAX #9), and their terminators. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** A text with its bidirectional controls spelled out: `a[U+202E]b`. They could make the text read differently from what it says. */
export function showDirections(text: string): string {
  return text.replace(DIRECTIONS, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`);
}

/** Scripts, styles and comments whole, or a tag, whose attributes may hold `>`. */
const MARKUP =
  /<(script|style)\b[^>]*>[\s\S]*?<\/\1\s*>|<!--[\s\S]*?-->|<\/?[a-z](?:"[^"]*"|'[^']*'|[^"'>])*>/gi;
/** Attributes that readers see or hear; the others are for programs, such as the value that a form sends. */
const READ_OUT = /(\s(?:content|title|alt|aria-label|placeholder)=)("[^"]*"|'[^']*')/gi;

/** The same for a page: its text, and those attributes. */
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
