import type { Column, ColumnType } from '../columns.ts';
import type { Row, Value } from '../row.ts';
import { STYLES } from './styles.ts';

const DAY_MS = 86_400_000;
/** Day 0 of the serial numbers that dates are, as they count from March 1900 on. */
const DAY_0 = Date.UTC(1899, 11, 30);
/** Of a cell, characters. */
export const LONGEST_TEXT = 32_767;
/** Text that a spreadsheet would run, were it typed in again. */
const LIKE_A_FORMULA = /^[=+\-@\t\r\n]/;
/** Most cells: nothing in them needs a second look. */
const PLAIN_TEXT = /^[A-Za-z0-9](?:[A-Za-z0-9 .,:;()/-]*[A-Za-z0-9.,:;()/-])?$/;
/** What XML 1.0 cannot hold; Excel writes it as _x0007_ (ECMA-376, ST_Xstring), and so what looks like that as well. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\r|_(?=x[0-9A-Fa-f]{4}_)/g;

const WIDTHS: Record<ColumnType, number> = {
  text: 24,
  integer: 12,
  number: 16,
  decimal: 20,
  boolean: 12,
  datetime: 20,
  date: 12,
  list: 32,
};

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** Up to the first row: the header stays in sight, and columns are as wide as their kind asks for. */
export function sheetHead(widths: readonly number[]): string {
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  return (
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${cols.join('')}</cols><sheetData>`
  );
}

/** From the last row on: the header is a filter over `rows` rows, itself counted. */
export function sheetTail(columns: number, rows: number): string {
  return `</sheetData><autoFilter ref="A1:${columnName(columns - 1)}${rows}"/></worksheet>`;
}

export function columnWidth({ name, type }: Column): number {
  return Math.max(WIDTHS[type], name.length + 4);
}

export function headerRow(names: readonly string[]): string {
  return rowXml(
    1,
    names.map((name, index) => textCell(`${columnName(index)}1`, name, STYLES.header)).join(''),
  );
}

/** Rows from number `first` on; the header is number 1. */
export function rowsXml(columns: readonly Column[], rows: readonly Row[], first: number): string {
  const names = columns.map((_, index) => columnName(index));
  let xml = '';
  for (const [index, row] of rows.entries()) {
    const number = first + index;
    let cells = '';
    for (let column = 0; column < names.length; column += 1)
      cells += cellXml(`${names[column]}${number}`, row[column]!, columns[column]!.type);
    xml += rowXml(number, cells);
  }
  return xml;
}

function rowXml(number: number, cells: string): string {
  return `<row r="${number}">${cells}</row>`;
}

function cellXml(place: string, value: Value, type: ColumnType): string {
  if (value === null) return '';
  if (type === 'integer' || type === 'number' || type === 'decimal')
    return `<c r="${place}"><v>${value}</v></c>`;
  if (type === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (type === 'datetime' || type === 'date')
    return `<c r="${place}" s="${STYLES[type]}"><v>${serialDate(value as string)}</v></c>`;
  return textCell(place, type === 'list' ? JSON.stringify(value) : (value as string), STYLES.text);
}

/** Text is always text, whatever it looks like; what looks like a formula stays text when somebody edits the cell. */
function textCell(place: string, text: string, style: number): string {
  if (style === STYLES.text && text.length <= LONGEST_TEXT && PLAIN_TEXT.test(text))
    return `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const inert = LIKE_A_FORMULA.test(text) ? STYLES.quoted : style;
  const attribute = inert === STYLES.text ? '' : ` s="${inert}"`;
  const space = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${place}"${attribute} t="inlineStr"><is><t${space}>${escapeXml(cut(text))}</t></is></c>`;
}

/** A longer text does not fit a cell; it is whole in every other form of the table. */
function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1).toWellFormed()}…`;
}

export function escapeXml(text: string): string {
  return text
    .replace(
      NOT_XML,
      (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** Days since the end of 1899, UTC, with the time of day as a fraction. */
function serialDate(text: string): number {
  return (Date.parse(text) - DAY_0) / DAY_MS;
}

/** 0 → A, 26 → AA. */
function columnName(index: number): string {
  const before = index < 26 ? '' : columnName(Math.floor(index / 26) - 1);
  return before + String.fromCharCode(65 + (index % 26));
}
