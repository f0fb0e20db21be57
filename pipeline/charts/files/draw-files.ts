import { CHART_FORMATS, chartPath, isDrawnAlone, type ShownChart } from './chart-formats.ts';
import { chartText, drawChart } from './chart-text.ts';
import type { ChartPrint } from './print-charts.ts';

/** What all files of a chart in one state are made from. */
export interface DrawnFiles {
  /** By ending; for a PNG, the drawing that it is rasterised from. */
  texts: ReadonlyMap<string, string>;
  print: ChartPrint;
}

/**
 * The files of a chart. `day` is for a chart without data, ISO 8601. Throws usage if the state names a series that the data does not
 * have.
 */
export function drawFiles(shown: ShownChart, day: string): DrawnFiles {
  const texts = new Map<string, string>();
  for (const { ending, content } of CHART_FORMATS)
    if (isDrawnAlone(content)) texts.set(ending, chartText(shown, content));
  return { texts, print: drawPrint(shown, day) };
}

export function drawPrint(shown: ShownChart, day: string): ChartPrint {
  const { chart, data, state } = shown;
  return {
    path: chartPath(chart.id, { ending: '.pdf' }),
    title: chart.title(data, state),
    drawing: drawChart(shown, 'print'),
    asOf: (chart.asOf(data) || day).slice(0, 10),
  };
}
