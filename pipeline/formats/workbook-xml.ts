import type { Organisation } from '../artifacts/documents/organisation.ts';
import { DAY_MS } from '../words/day.ts';
import type { Column, ColumnType, Row, Value } from './columns.ts';
import type { Table } from './tables.ts';

// The XML of a workbook (ECMA-376 part 1, 12.2 and 18). docs/dependencies.md says why no library writes it.

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const SHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Path of a sheet in the archive, counted from 1. */
export function sheetPath(number: number): string {
  return `xl/worksheets/sheet${number}.xml`;
}

/** The first parts of the archive, by which programs tell what it is. */
export function firstParts(): [name: string, xml: string][] {
  return [
    ['_rels/.rels', relationships([['officeDocument', 'xl/workbook.xml']])],
    ['xl/styles.xml', STYLES_XML],
  ];
}

/** Every other part except the sheets, which these list. */
export function workbookParts(sheets: readonly string[]): [name: string, xml: string][] {
  const numbers = sheets.map((_, index) => index + 1);
  return [
    [
      '[Content_Types].xml',
      `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
        override('xl/workbook.xml', `${SHEET}.sheet.main+xml`) +
        numbers.map((number) => override(sheetPath(number), `${SHEET}.worksheet+xml`)).join('') +
        `${override('xl/styles.xml', `${SHEET}.styles+xml`)}</Types>`,
    ],
    [
      'xl/workbook.xml',
      `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
        sheets
          .map(
            (name, index) =>
              `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
          )
          .join('') +
        '</sheets></workbook>',
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relationships([
        ...numbers.map((number): [string, string] => ['worksheet', `worksheets/sheet${number}.xml`]),
        ['styles', 'styles.xml'],
      ]),
    ],
  ];
}

function override(path: string, type: string): string {
  return `<Override PartName="/${path}" ContentType="${type}"/>`;
}

function relationships(targets: readonly (readonly [type: string, target: string])[]): string {
  const list = targets.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list.join('')}</Relationships>`;
}

/** Indexes of the cell formats in STYLES_XML. */
const STYLES = { text: 0, header: 1, datetime: 2, date: 3, quoted: 4 } as const;

/** `quotePrefix` is the apostrophe that keeps the content of a cell text. */
const STYLES_XML = `${HEAD}<styleSheet xmlns="${MAIN}">\
<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/>\
<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd"/></numFmts>\
<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>\
<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>\
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>\
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>\
<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>\
<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>\
<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>\
<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>\
<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/>\
</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>
`;

/** Column widths, in characters. */
const WIDTHS: Record<ColumnType, number> = {
  text: 24,
  integer: 12,
  number: 16,
  decimal: 20,
  boolean: 12,
  datetime: 20,
  date: 12,
  list: 32,
  integers: 32,
};

/** A data sheet up to its first row of data. */
export function sheetHead(columns: readonly Column[]): string {
  const widths = columns.map(({ name, type }) => Math.max(WIDTHS[type], name.length + 4));
  return headXml(widths) + headerXml(columns.map(({ name }) => name));
}

/** The rest of a data sheet after its last row. The header becomes a filter over all `rows` rows, the header included. */
export function sheetTail(columns: number, rows: number): string {
  return `</sheetData><autoFilter ref="A1:${columnName(columns - 1)}${rows}"/></worksheet>`;
}

/** The header row stays in sight when the reader scrolls. */
function headXml(widths: readonly number[]): string {
  const cols = widths.map(
    (width, index) => `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  );
  return (
    `${HEAD}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<cols>${cols.join('')}</cols><sheetData>`
  );
}

function headerXml(names: readonly string[]): string {
  return rowXml(
    1,
    names.map((name, index) => textCell(`${columnName(index)}1`, name, STYLES.header)).join(''),
  );
}

const DICTIONARY_COLUMNS = ['column', 'type', 'description', 'unit', 'range', 'formula'].map(
  (name): Column => ({
    name,
    type: 'text',
    nullable: true,
    description: '',
    unit: '',
    range: '',
    formula: '',
  }),
);
const DICTIONARY_WIDTHS = [28, 12, 80, 32, 24, 60];

/** The last sheet: what each column means, then what the table is, and whose. */
export function dictionarySheet(table: Table, organisation: Organisation): string {
  const { columns, title, description, artifact, grows } = table;
  const { licence } = organisation;
  const about: Row[] = [
    [],
    ['table', null, title],
    [null, null, description],
    ['publisher', null, organisation.name],
    ['published as', null, `/${artifact.path}`],
    ['order of rows', null, grows ? 'oldest first; the file itself has the newest first' : 'as in the file'],
    ['licence', null, `${licence.title} (${licence.url})`],
    ['times', null, 'UTC'],
  ];
  const rows = [
    ...columns.map(describe),
    ...about.map((row) => DICTIONARY_COLUMNS.map((_, index) => row[index] ?? null)),
  ];
  const names = DICTIONARY_COLUMNS.map(({ name }) => name);
  return `${headXml(DICTIONARY_WIDTHS)}${headerXml(names)}${rowsXml(DICTIONARY_COLUMNS, rows, 2)}</sheetData></worksheet>`;
}

function describe({ name, type, description, unit, range, formula }: Column): Row {
  return [name, type, description, unit, range, formula].map((cell) => cell || null);
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
  if (type === 'datetime' || type === 'date') {
    const days = serialDate(value as string);
    if (days >= FIRST_DAY) return `<c r="${place}" s="${STYLES[type]}"><v>${days}</v></c>`;
  }
  return textCell(place, type === 'list' ? JSON.stringify(value) : (value as string), STYLES.text);
}

/** The most characters that a cell can hold. */
export const LONGEST_TEXT = 32_767;
/** Text that a spreadsheet would run as a formula if somebody typed it in. */
const LIKE_A_FORMULA = /^[=+\-@\t\r\n]/;
/** Most cells: they need no escape, no quote and no cut. */
const PLAIN_TEXT = /^[A-Za-z0-9](?:[A-Za-z0-9 .,:;()/-]*[A-Za-z0-9.,:;()/-])?$/;

/** A text stays text whatever it looks like; one that looks like a formula does so even when somebody edits the cell. */
function textCell(place: string, text: string, style: number): string {
  if (style === STYLES.text && text.length <= LONGEST_TEXT && PLAIN_TEXT.test(text))
    return `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`;
  const inert = LIKE_A_FORMULA.test(text) ? STYLES.quoted : style;
  const attribute = inert === STYLES.text ? '' : ` s="${inert}"`;
  const space = /^\s|\s$|\n/.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${place}"${attribute} t="inlineStr"><is><t${space}>${escapeXml(cut(text))}</t></is></c>`;
}

/** A longer text does not fit a cell; every other format of the table has all of it. */
function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1).toWellFormed()}…`;
}

/** What XML 1.0 cannot hold. Excel writes it as _x0007_ (ECMA-376, ST_Xstring), so text that looks like that is escaped too. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\r|_(?=x[0-9A-Fa-f]{4}_)/g;

function escapeXml(text: string): string {
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

/** Day 0 of a spreadsheet's serial dates, as they count from March 1900 on. */
const DAY_0 = Date.UTC(1899, 11, 30);

/** 1 March 1900. Excel counts a 29 February before it, shows other days one day off, and none before 1900: those are texts. */
const FIRST_DAY = 61;

/** Days since the end of 1899, UTC, with the time of day as a fraction. */
function serialDate(text: string): number {
  return (Date.parse(text) - DAY_0) / DAY_MS;
}

/** 0 → A, 26 → AA. */
function columnName(index: number): string {
  const before = index < 26 ? '' : columnName(Math.floor(index / 26) - 1);
  return before + String.fromCharCode(65 + (index % 26));
}
