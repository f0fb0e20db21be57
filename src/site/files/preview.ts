import { csvCells } from '../../../pipeline/formats/csv-cells.ts';
import type { DraftFile } from '../../../pipeline/release/format/manifest.ts';

/** A string, bracket, comma, colon, number or word. White space in between is skipped. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|[{}[\],:]|[^\s"{}[\],:]+/g;
const OPENING: ReadonlySet<string> = new Set(['{', '[']);
const CLOSING: ReadonlySet<string> = new Set(['}', ']']);

/**
 * Indents a JSON text, or the beginning of one, like `JSON.stringify(value, null, 2)`. Numbers keep their digits, and the
 * text may be cut off anywhere.
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

/** The content of brackets starts on a new line, unless they are empty. */
function startsLine(before: string, token: string): boolean {
  if (CLOSING.has(token)) return !OPENING.has(before);
  return before === ',' || OPENING.has(before);
}

/** Enough for the preview of any file. */
export const HEAD_BYTES = 16_384;
const ROWS = 6;
const LINES = 28;

export type Preview =
  | { kind: 'table'; columns: string[]; rows: string[][] }
  /** `whole`: this is the complete file. */
  | { kind: 'text'; text: string; whole: boolean };

/** What pages show of a file of that many bytes, from its beginning: JSON is indented. Null for what is not text. */
export function previewOf(
  head: string,
  { media_type: type, bytes }: Pick<DraftFile, 'media_type' | 'bytes'>,
): Preview | null {
  if (type.startsWith('text/csv')) {
    const [columns = [], ...rows] = csvCells(head, 1 + ROWS);
    return { kind: 'table', columns, rows };
  }
  if (!/\bjson$|^text\/|bibtex/.test(type)) return null;
  const lines = (/\bjson$/.test(type) ? indentJson(head) : head).trimEnd().split('\n');
  const whole = bytes <= HEAD_BYTES && lines.length <= LINES;
  return { kind: 'text', text: lines.slice(0, LINES).join('\n'), whole };
}
