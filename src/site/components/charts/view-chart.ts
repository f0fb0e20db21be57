import type { Chart, ChartColumn, ChartTable } from '../../../../pipeline/charts/chart.ts';
import { type ChartState, formatChartState } from '../../../../pipeline/charts/chart-state.ts';
import { element, escapeText } from '../../../../pipeline/charts/drawing/element.ts';
import type { PlotScale } from '../../../../pipeline/charts/drawing/plot.ts';
import { formatNumber } from '../../../../pipeline/words/number.ts';

type Cell = ChartTable['rows'][number][number];

/** The inner HTML of a chart's `table`. The first cell of each row is its heading. */
export function tableHtml({ columns, rows }: ChartTable): string {
  const classes = columns.map((_, index) => classOf(rows.map((row) => row[index]!)));
  const head = columns.map((column, index) => headingHtml(column, classes[index]!));
  const body = rows.map((row) => {
    const cells = row.map((cell, index) => cellHtml(cell, index === 0 ? 'th' : 'td', classes[index]!));
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody>`;
}

/** A cell with every digit of the file, thousands separators and a true minus sign. */
export function cellWords(cell: Cell): string {
  if (cell === null) return '';
  return typeof cell === 'number' ? formatNumber(cell, { max: 6 }) : cell;
}

const LONGEST_TIGHT = 24;

/** Numbers are right-aligned; columns of short words do not wrap. */
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

/** Each chart is drawn at these widths, px. A page shows the one that fits, so that no text is scaled down. */
const PAGE_WIDTHS = { wide: 820, narrow: 344 } as const;

/** Everything that a page shows of a chart in one state. */
export interface ChartView {
  /** Canonical parameters of the state, empty for the default. */
  query: string;
  title: string;
  unit: string;
  note: string;
  source: string;
  summary: string[];
  table: ChartTable;
  /** HTML of the pictures in the page's colours, each with its scales in `data-scales`. */
  pictures: string;
}

/** Throws usage if the state names a series that the data does not have. */
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
  // A tenth of a pixel is precise enough.
  const rounded = JSON.stringify(scales, (_, value) =>
    typeof value === 'number' ? Math.round(value * 10) / 10 : value,
  );
  return element('div', { class: name, 'data-scales': rounded }, svg);
}
