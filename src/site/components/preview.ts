import type { DraftFile } from '../../../pipeline/release/format/manifest.ts';
import type { SiteRelease } from './release.ts';

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

/** A cell after RFC 4180, quoted or plain, and what ends it: a comma, a line end, or the end of the text. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/y;

/** The first rows of a CSV text, the header included; a row that the text breaks off in is left out. */
export function csvRows(text: string, count: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  CELL.lastIndex = 0;
  while (rows.length < count) {
    const [, quoted, plain, end] = CELL.exec(text) ?? [];
    if (end === undefined || end === '') break;
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\n') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** Enough of any file for what is shown of it. */
const HEAD_BYTES = 16_384;
const ROWS = 6;
const LINES = 28;

export type Preview =
  | { kind: 'table'; columns: string[]; rows: string[][] }
  /** `whole`: the file has no more than this. */
  | { kind: 'text'; text: string; whole: boolean };

/** The beginning of a public file, JSON laid out in lines; null for what is restricted or is not text. */
export function previewOf(release: SiteRelease, file: DraftFile): Preview | null {
  if (file.restricted || file.media_type === 'application/pdf') return null;
  const head = release.head(file.path, HEAD_BYTES);
  if (file.media_type.startsWith('text/csv')) {
    const [columns = [], ...rows] = csvRows(head, 1 + ROWS);
    return { kind: 'table', columns, rows };
  }
  const lines = (file.media_type === 'application/json' ? indentJson(head) : head).trimEnd().split('\n');
  const whole = file.bytes <= HEAD_BYTES && lines.length <= LINES;
  return { kind: 'text', text: lines.slice(0, LINES).join('\n'), whole };
}
