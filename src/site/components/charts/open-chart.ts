import type { Chart } from '../../../../pipeline/charts/chart.ts';
import {
  type ChartState,
  DEFAULT_STATE,
  parseChartState,
  stateFault,
} from '../../../../pipeline/charts/chart-state.ts';
import { ownParameters } from '../../../../pipeline/charts/own-parameters.ts';
import { CHARTS } from '../../../../pipeline/charts/table.ts';
import { CathedralError } from '../../../../pipeline/errors.ts';
import type { SiteRelease } from '../release.ts';
import { perRelease } from '../release.ts';

/** A chart with the data that it prepared from a release's files. */
export interface OpenChart {
  chart: Chart;
  data: unknown;
}

const openers = new Map(CHARTS.map((chart) => [chart.id, perRelease((release) => open(release, chart))]));

/** Read once for all pages that show it. Throws site_failed. */
export function openChart(release: SiteRelease, id: string): OpenChart {
  const opener = openers.get(id);
  if (opener) return opener(release);
  throw new CathedralError('site_failed', { place: 'charts', expected: 'a chart of the table', found: id });
}

function open(release: SiteRelease, chart: Chart): OpenChart {
  return { chart, data: chart.prepare(release) };
}

/** The state in an address; or what is wrong with it, in words, and the chart as it is by itself. */
export function askedState(
  { chart, data }: OpenChart,
  search: string,
): { state: ChartState; fault: string | null } {
  try {
    return { state: readState(chart, data, search), fault: null };
  } catch (error) {
    return { state: DEFAULT_STATE, fault: stateFault(error) };
  }
}

/**
 * The state in an address that a form may have made: a field that was left empty was not filled in, and all series are
 * what is shown anyway. Throws usage for what the chart does not have.
 */
function readState(chart: Chart, data: unknown, search: string): ChartState {
  const state = parseChartState(chart, ownParameters(search));
  const offered = chart.series(data);
  const isAll = offered.length > 0 && offered.every(({ name }) => state.series?.includes(name));
  const known = isAll && state.series?.length === offered.length ? { ...state, series: null } : state;
  // Throws where a series is none of the chart's.
  chart.title(data, known);
  return known;
}
