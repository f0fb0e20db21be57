import type { OpenChart } from '../../../pipeline/charts/chart.ts';
import { ownParameters } from '../../../pipeline/charts/chart-address.ts';
import {
  type ChartState,
  DEFAULT_STATE,
  dropRefused,
  parseChartState,
  stateFault,
} from '../../../pipeline/charts/chart-state.ts';
import { CHARTS } from '../../../pipeline/charts/table.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { SiteRelease } from '../layout/release.ts';
import { perRelease } from '../layout/release.ts';

const openers = new Map(
  CHARTS.map((chart) => [chart.id, perRelease((release) => chart.open(release, release.organisation))]),
);

/** Opens a chart, once for all pages that show it. Throws site_failed for an unknown id, release_invalid for bad files. */
export function openChart(release: SiteRelease, id: string): OpenChart {
  const opener = openers.get(id);
  if (opener) return opener(release);
  throw new CathedralError('site_failed', { place: 'charts', expected: 'a chart of the table', found: id });
}

/** The state in an address; or the nearest one, and the reason why the address is invalid. `check`: what else it must have. */
export function askedState(
  chart: OpenChart,
  search: string,
  check: (state: ChartState) => void = () => {},
): { state: ChartState; fault: string | null } {
  const parameters = ownParameters(search);
  let fault: string | null = null;
  for (;;) {
    try {
      const state = readState(chart, parameters);
      check(state);
      return { state, fault };
    } catch (error) {
      fault ??= stateFault(error);
      dropRefused(parameters, error);
    }
  }
}

/**
 * The state in an address that a form may have produced: all series count as the default.
 * Throws usage for a state that the chart does not have.
 */
function readState(chart: OpenChart, parameters: URLSearchParams): ChartState {
  if (parameters.size === 0) return DEFAULT_STATE;
  const state = parseChartState(chart, parameters);
  const offered = chart.series;
  const isAll = offered.length > 0 && offered.every(({ name }) => state.series?.includes(name));
  const known = isAll && state.series?.length === offered.length ? { ...state, series: null } : state;
  // Throws for a series that the chart does not have.
  chart.show(known);
  return known;
}
