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

/** A file of a chart, at `/charts/<id><ending>`. */
export interface ChartFormat {
  /** `.svg` */
  ending: string;
  /** A drawing as vectors, as pixels or as a page, which needs a browser; the rows that are shown; or the chart document. */
  kind: 'vector' | 'pixels' | 'print' | 'rows' | 'document';
  /** For the API reference. */
  title: string;
}

/** The files that a server makes in any state; it also draws pictures on dark ground. */
export type MadeKind = Exclude<ChartFormat['kind'], 'print'>;

export const CHART_FORMATS: readonly ChartFormat[] = [
  { ending: '.svg', kind: 'vector', title: 'a drawing that scales, for pages and print' },
  { ending: '.png', kind: 'pixels', title: 'an image at twice the size, for slides and mail' },
  { ending: '.pdf', kind: 'print', title: 'a drawing with its fonts, for print and LaTeX' },
  { ending: '.csv', kind: 'rows', title: 'the numbers shown' },
  { ending: '.json', kind: 'document', title: 'the numbers with title, units, sources and licence' },
];

/** `supply` and `.svg` → `charts/supply.svg`. */
export function chartPath(id: string, { ending }: Pick<ChartFormat, 'ending'>): string {
  return `charts/${id}${ending}`;
}

/** Every path of a chart's file, with its chart and format. */
export const CHART_PATHS: ReadonlyMap<string, { id: string; form: ChartFormat }> = new Map(
  CHARTS.flatMap(({ id }) => CHART_FORMATS.map((form) => [chartPath(id, form), { id, form }])),
);
