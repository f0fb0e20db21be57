import type { Chart, ChartColumn, ChartTable } from '../../../../pipeline/charts/chart.ts';
import { type ChartState, formatChartState } from '../../../../pipeline/charts/chart-state.ts';
import { element, escapeText } from '../../../../pipeline/charts/drawing/element.ts';
import type { PlotScale } from '../../../../pipeline/charts/drawing/plot.ts';
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

/** Widths in pixels that a chart is drawn in; a page shows the one that fits, so that no text is scaled down. */
const PAGE_WIDTHS = { wide: 820, narrow: 344 } as const;

/** All that a page shows of a chart in a state. */
export interface ChartView {
  /** Canonical parameters of the state, empty for the default. */
  query: string;
  title: string;
  unit: string;
  note: string;
  source: string;
  summary: string[];
  table: ChartTable;
  /** HTML of the pictures, in the colours of the page around them; each has its scales as `data-scales`. */
  pictures: string;
}

/** Throws usage where the state names a series that the data does not have. */
export function viewChart(chart: Chart, data: unknown, state: ChartState): ChartView {
  return {
    query: formatChartState(chart, state),
    title: chart.title(data, state),
    unit: chart.unit(data, state),
    note: chart.note(data, state),
    source: chart.source(data),
    summary: chart.summary(data, state),
    table: chart.table(data, state),
    pictures: Object.entries(PAGE_WIDTHS)
      .map(([name, width]) => picture(chart, data, state, { name, width }))
      .join(''),
  };
}

function picture(
  chart: Chart,
  data: unknown,
  state: ChartState,
  { name, width }: { name: string; width: number },
): string {
  const scales: PlotScale[] = [];
  const onScale = (scale: PlotScale) => scales.push(scale);
  const svg = chart.draw(data, state, { width, theme: 'page', parts: 'plot', onScale });
  // To a tenth of a pixel.
  const rounded = JSON.stringify(scales, (_, value) =>
    typeof value === 'number' ? Math.round(value * 10) / 10 : value,
  );
  return element('div', { class: name, 'data-scales': rounded }, svg);
}
