import type { Chart } from '../chart.ts';
import type { ChartState } from '../chart-state.ts';
import { CHARTS } from '../table.ts';

/** A chart in one state, over one release's files: all that a file of it is made from. */
export interface ShownChart {
  chart: Chart;
  /** What the chart's own `prepare` gave. */
  data: unknown;
  state: ChartState;
  /** The files that it was prepared from. */
  sources: readonly ChartSource[];
  /** Without a slash at the end. */
  baseUrl: string;
}

export interface ChartSource {
  path: string;
  sha256: string;
}

/** Of a picture that stands alone, px; as high as its content. The same as on its page, so that both look alike. */
export const FILE_WIDTH = 820;

/** Drawn in a theme, as vectors or as pixels; or the rows that are shown, or all that is said of them. */
export type AnyStateContent =
  | { kind: 'vector' | 'pixels'; theme: 'light' | 'dark' }
  | { kind: 'rows' | 'document' };

/** What a file of a chart is: the last two are made with a release, and of a chart as it is by itself. */
export type ChartContent = AnyStateContent | { kind: 'print' | 'archive' };

export interface ChartForm {
  /** After the chart's id: `-dark.svg`. */
  ending: string;
  content: ChartContent;
  /** For the read-me. */
  title: string;
}

/** Every file that a chart has, at `/charts/<id><ending>`. */
export const CHART_FORMS: readonly ChartForm[] = [
  form('.svg', { kind: 'vector', theme: 'light' }, 'the chart as vectors, on light ground'),
  form('-dark.svg', { kind: 'vector', theme: 'dark' }, 'the chart as vectors, on dark ground'),
  form('.png', { kind: 'pixels', theme: 'light' }, 'the chart as pixels, twice as many each way'),
  form('-dark.png', { kind: 'pixels', theme: 'dark' }, 'the same on dark ground'),
  form('.pdf', { kind: 'print' }, 'the chart as vectors with its fonts, for print and LaTeX'),
  form('.csv', { kind: 'rows' }, 'what is shown, as a table'),
  form('.json', { kind: 'document' }, 'what is shown with its title, units, sources and licence'),
  form('.zip', { kind: 'archive' }, 'all of these'),
];

function form(ending: string, content: ChartContent, title: string): ChartForm {
  return { ending, content, title };
}

/** `supply` and `.svg` → `charts/supply.svg`. */
export function chartPath(id: string, { ending }: Pick<ChartForm, 'ending'>): string {
  return `charts/${id}${ending}`;
}

/** Every path of a chart's file with what stands there. */
export const CHART_PATHS: ReadonlyMap<string, { id: string; form: ChartForm }> = new Map(
  CHARTS.flatMap(({ id }) => CHART_FORMS.map((form) => [chartPath(id, form), { id, form }])),
);

/** Whether there is such a file of every state that an address can say. */
export function isAnyState(content: ChartContent): content is AnyStateContent {
  return content.kind !== 'print' && content.kind !== 'archive';
}
