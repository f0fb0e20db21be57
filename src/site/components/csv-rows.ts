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
