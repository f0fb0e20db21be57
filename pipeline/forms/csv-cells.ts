/**
 * The rows of a CSV text without its header, as cells. The text is one that this service has written and checked: `\n`
 * after each row, quotes after RFC 4180.
 */
export function csvCells(text: string): string[][] {
  if (!text.includes('"')) {
    const lines = text.split('\n');
    lines.pop();
    return lines.map((line) => line.split(','));
  }
  return quotedCells(text);
}

/** A quoted cell, or one without quotes, and what ends it. */
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
