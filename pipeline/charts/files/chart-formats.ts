import type { Licence } from '../../artifacts/documents/organisation.ts';
import type { OpenChart } from '../chart.ts';
import type { ChartState } from '../chart-state.ts';
import { CHARTS } from '../table.ts';

/** A chart in one state over the files of one release: the input of every file of the chart. */
export interface ShownChart {
  chart: OpenChart;
  state: ChartState;
  /** The files that it read. */
  sources: readonly ChartSource[];
  /** Without a slash at the end. */
  baseUrl: string;
  licence: Licence;
}

export interface ChartSource {
  path: string;
  sha256: string;
}

/** The width of a picture that stands alone, px: the same as on its page. The content determines the height. */
export const FILE_WIDTH = 820;

/** For high-density screens and print. */
const SCALE = 2;
/** Librsvg draws nothing that has more than 32,767 each way. */
const MOST_PIXELS = 32_000;

/** Pixels per unit of a drawing of this height, each way. A chart of a thousand sentinels has fewer than others. */
export function pixelScale(height: number): number {
  return Math.min(SCALE, MOST_PIXELS / height);
}

/** A drawing in a theme, as vectors or pixels; the rows that are shown; or the chart document. */
export type DrawnContent =
  | { kind: 'vector' | 'pixels'; theme: 'light' | 'dark' }
  | { kind: 'rows' | 'document' };

/** The contents of a chart's file. */
export type ChartContent = DrawnContent | { kind: 'print' };

export interface ChartFormat {
  /** Follows the chart's id: `.svg`. */
  ending: string;
  content: ChartContent;
  /** For the API reference. */
  title: string;
}

/** Every file of a chart, at `/charts/<id><ending>`. A server also draws pictures on dark ground. */
export const CHART_FORMATS: readonly ChartFormat[] = [
  form('.svg', { kind: 'vector', theme: 'light' }, 'the chart as vectors'),
  form('.png', { kind: 'pixels', theme: 'light' }, 'the chart as pixels, twice as many each way'),
  form('.pdf', { kind: 'print' }, 'the chart as vectors with its fonts, for print and LaTeX'),
  form('.csv', { kind: 'rows' }, 'what is shown, as a table'),
  form('.json', { kind: 'document' }, 'what is shown with its title, units, sources and licence'),
];

function form(ending: string, content: ChartContent, title: string): ChartFormat {
  return { ending, content, title };
}

/** `supply` and `.svg` → `charts/supply.svg`. */
export function chartPath(id: string, { ending }: Pick<ChartFormat, 'ending'>): string {
  return `charts/${id}${ending}`;
}

/** Every path of a chart's file, with its chart and format. */
export const CHART_PATHS: ReadonlyMap<string, { id: string; form: ChartFormat }> = new Map(
  CHARTS.flatMap(({ id }) => CHART_FORMATS.map((form) => [chartPath(id, form), { id, form }])),
);

/** Whether the drawing functions make the file alone: a PDF also needs a browser. */
export function isDrawnAlone(content: ChartContent): content is DrawnContent {
  return content.kind !== 'print';
}
