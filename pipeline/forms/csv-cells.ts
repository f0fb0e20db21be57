/**
 * CSV rows without the header → cells. Reads only what this service has written and checked: `\n` after each row, quotes as in
 * RFC 4180.
 */
export function csvCells(text: string): string[][] {
  if (!text.includes('"')) {
    const lines = text.split('\n');
    lines.pop();
    return lines.map((line) => line.split(','));
  }
  return quotedCells(text);
}

/** A cell with or without quotes, and the character that ends it. */
const CELL = /(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])/g;

function quotedCells(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(CELL)) {
    row.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
