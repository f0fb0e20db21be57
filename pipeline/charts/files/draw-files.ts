import { zipFiles } from '../../forms/zip.ts';
import { stateName } from '../chart-address.ts';
import { formatChartState } from '../chart-state.ts';
import {
  CHART_FORMATS,
  type ChartFormat,
  chartPath,
  isDrawnAlone,
  type ShownChart,
} from './chart-formats.ts';
import { formatReadMe } from './chart-read-me.ts';
import { chartText, drawChart } from './chart-text.ts';
import type { ChartPrint } from './print-charts.ts';

/** What all files of a chart in one state are made from. */
export interface DrawnFiles {
  /** By ending; for a PNG, the drawing that it is rasterised from. */
  texts: ReadonlyMap<string, string>;
  print: ChartPrint;
  readMe: string;
}

export interface DrawOptions {
  /** The publishing organisation. */
  author: string;
  /** Whether someone can print. */
  withPdf: boolean;
  /** For a chart without data, ISO 8601. */
  day: string;
}

/** The files of a chart, with its PDF if someone can print it. */
export function formsWith(pdf: boolean): ChartFormat[] {
  return CHART_FORMATS.filter(({ content }) => pdf || content.kind !== 'print');
}

/** Throws usage if the state names a series that the data does not have. */
export function drawFiles(shown: ShownChart, { author, withPdf, day }: DrawOptions): DrawnFiles {
  const texts = new Map<string, string>();
  for (const { ending, content } of formsWith(withPdf))
    if (isDrawnAlone(content)) texts.set(ending, chartText(shown, content));
  const endings = formsWith(withPdf)
    .filter(({ content }) => content.kind !== 'archive')
    .map(({ ending }) => ending);
  return { texts, print: drawPrint(shown, day), readMe: formatReadMe(shown, { author, endings }) };
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

/** Names that a chart's archive and its files have: `supply`, in a state `supply-series-burned`. */
export function nameOf({ chart, state }: Pick<ShownChart, 'chart' | 'state'>): string {
  return stateName(chart.id, formatChartState(chart, { ...state, tab: 'chart' }));
}

/** The archive of a chart: a folder with its files, by ending, and the read-me. */
export function zipChart(
  name: string,
  readMe: string,
  files: readonly (readonly [ending: string, content: Uint8Array])[],
): Uint8Array {
  return zipFiles([
    [`${name}/readme.txt`, Buffer.from(readMe)],
    ...files.map(([ending, content]): [string, Uint8Array] => [`${name}/${name}${ending}`, content]),
  ]);
}
