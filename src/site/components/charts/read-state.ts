import type { Chart } from '../../../../pipeline/charts/chart.ts';
import { type ChartState, parseChartState } from '../../../../pipeline/charts/chart-state.ts';
import { ownParameters } from '../../../../pipeline/charts/own-parameters.ts';

/**
 * The state in an address that a form may have made: a field that was left empty was not filled in, and all series are
 * what is shown anyway. Throws usage for what the chart does not have.
 */
export function readState(chart: Chart, data: unknown, search: string): ChartState {
  const state = parseChartState(chart, ownParameters(search));
  const offered = chart.series(data);
  const isAll = offered.length > 0 && offered.every(({ name }) => state.series?.includes(name));
  const known = isAll && state.series?.length === offered.length ? { ...state, series: null } : state;
  // Throws where a series is none of the chart's.
  chart.title(data, known);
  return known;
}
