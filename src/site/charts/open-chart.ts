import type { OpenChart } from '../../../pipeline/charts/chart.ts';
import { ownParameters } from '../../../pipeline/charts/chart-address.ts';
import {
  type ChartState,
  DEFAULT_STATE,
  dropRefused,
  parseChartState,
  stateFault,
} from '../../../pipeline/charts/chart-state.ts';
import { requireDays } from '../../../pipeline/charts/day-range.ts';
import { CHARTS } from '../../../pipeline/charts/table.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { openRelease, perRelease, type SiteRelease } from '../layout/release.ts';
import type { Place } from './view-chart.ts';

const openers = new Map(
  CHARTS.map((chart) => [chart.id, perRelease((release) => chart.open(release, release.organisation))]),
);

/** Opens a chart, once for all pages that show it. Throws site_failed for an unknown id, release_invalid for bad files. */
export function openChart(release: SiteRelease, id: string): OpenChart {
  const opener = openers.get(id);
  if (opener) return opener(release);
  throw new CathedralError('site_failed', { place: 'charts', expected: 'a chart of the table', found: id });
}

/** What Astro says of a request; a document has no response yet. */
interface Asked {
  params: Readonly<Record<string, string | undefined>>;
  url: URL;
  response?: { status?: number };
}

/**
 * The chart of an address in the state that it asks for; or in the nearest one, with the reason why the address is invalid, which a page
 * answers with 400. Only a page refuses days that the chart does not have; an embed leaves them out.
 */
export function askedView({ params, url, response }: Asked, place: Place) {
  const chart = openChart(openRelease(), params.id!);
  const range = place === 'embed' || chart.missing() ? null : chart.range;
  const parameters = ownParameters(url.search);
  let fault: string | null = null;
  for (;;) {
    try {
      const state = readState(chart, parameters);
      if (range) requireDays(chart.id, range, state);
      if (fault !== null && response) response.status = 400;
      return { chart, state, fault };
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
