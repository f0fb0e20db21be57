/**
 * CSV rows without the header → cells. Reads only what this service has written and checked: `\n` after each row, quotes as in
 * RFC 4180. `most`: how many rows at most, from the first.
 */
export function csvCells(text: string, most = Number.POSITIVE_INFINITY): string[][] {
  const lines = firstLines(text, most);
  if (lines.includes('"')) return quotedCells(text, most);
  return lines
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(','));
}

/** The first lines of a text, at most `most`, with their ends; the last one may have none. */
export function firstLines(text: string, most: number): string {
  if (most === Number.POSITIVE_INFINITY) return text;
  let end = 0;
  for (let count = 0; count < most; count += 1) {
    const next = text.indexOf('\n', end);
    if (next < 0) return text;
    end = next + 1;
  }
  return text.slice(0, end);
}

/** A cell with or without quotes, and the character that ends it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])/g;

function quotedCells(text: string, most: number): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(CELL)) {
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    if (rows.length === most) break;
    row = [];
  }
  return rows;
}
