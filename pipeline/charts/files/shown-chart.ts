import type { Chart } from '../chart.ts';
import type { ChartState } from '../chart-state.ts';

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
