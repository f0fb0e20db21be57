import type { Chart, ChartTable } from '../../../../pipeline/charts/chart.ts';
import { type ChartState, formatChartState } from '../../../../pipeline/charts/chart-state.ts';
import { element } from '../../../../pipeline/charts/drawing/element.ts';
import type { PlotScale } from '../../../../pipeline/charts/drawing/plot.ts';

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
