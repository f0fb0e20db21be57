import type { Column } from '../columns.ts';
import type { Row } from '../row.ts';
import type { Table } from '../tables.ts';
import { headerRow, rowsXml, sheetHead } from './sheet-xml.ts';

const text = (name: string): Column => ({
  name,
  type: 'text',
  nullable: true,
  description: '',
  unit: '',
  range: '',
  formula: '',
});
const COLUMNS = ['column', 'type', 'description', 'unit', 'range', 'formula'].map(text);
const WIDTHS = [28, 12, 80, 32, 24, 60];

/** The second sheet: what each column is, and then what the table is. */
export function dictionarySheet(table: Table): string {
  const { columns, title, description, artifact, grows } = table;
  const about: Row[] = [
    [],
    ['table', null, title],
    [null, null, description],
    ['published as', null, `/${artifact.path}`],
    ['order of rows', null, grows ? 'oldest first; the file itself has the newest first' : 'as in the file'],
    ['licence', null, 'Creative Commons Attribution 4.0 International (CC BY 4.0)'],
    ['times', null, 'UTC'],
  ];
  const rows = [
    ...columns.map(describe),
    ...about.map((row) => COLUMNS.map((_, index) => row[index] ?? null)),
  ];
  const names = COLUMNS.map(({ name }) => name);
  return `${sheetHead(WIDTHS)}${headerRow(names)}${rowsXml(COLUMNS, rows, 2)}</sheetData></worksheet>`;
}

function describe({ name, type, description, unit, range, formula }: Column): Row {
  return [name, type, description, unit, range, formula].map((cell) => cell || null);
}
