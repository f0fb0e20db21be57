import type { ChartColumn, ChartTable } from '../../../../pipeline/charts/chart.ts';
import { escapeText } from '../../../../pipeline/charts/drawing/element.ts';
import { formatNumber } from '../../../../pipeline/words/number.ts';

type Cell = ChartTable['rows'][number][number];

/** The rows of a chart as the inside of a `table` element; the first cell of a row is its heading. */
export function tableHtml({ columns, rows }: ChartTable): string {
  const classes = columns.map((_, index) => classOf(rows.map((row) => row[index]!)));
  const head = columns.map((column, index) => headingHtml(column, classes[index]!));
  const body = rows.map((row) => {
    const cells = row.map((cell, index) => cellHtml(cell, index === 0 ? 'th' : 'td', classes[index]!));
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody>`;
}

/** As it is in the file: every digit, with commas to read it by, and a true minus. */
export function cellWords(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'number' ? formatNumber(cell, { max: 6 }) : cell;
}

const LONGEST_TIGHT = 24;

/** Numbers stand right; short words are not broken into lines. */
function classOf(cells: readonly Cell[]): string {
  const filled = cells.filter((cell) => cell !== null);
  if (filled.length > 0 && filled.every((cell) => typeof cell === 'number')) return ' class="number"';
  return filled.every((cell) => String(cell).length <= LONGEST_TIGHT) ? ' class="tight"' : '';
}

function headingHtml({ title, unit }: ChartColumn, attribute: string): string {
  const words = unit === '' ? '' : ` <span class="column-unit">${escapeText(unit)}</span>`;
  const own = attribute.includes('tight') ? '' : attribute;
  return `<th scope="col"${own}>${escapeText(title)}${words}</th>`;
}

function cellHtml(cell: Cell, name: 'th' | 'td', attribute: string): string {
  const scope = name === 'th' ? ' scope="row"' : '';
  return `<${name}${scope}${attribute}>${escapeText(cellWords(cell))}</${name}>`;
}
