import type { Chart } from '../../../../pipeline/charts/chart.ts';
import { DEFAULT_STATE } from '../../../../pipeline/charts/chart-state.ts';
import { CHARTS } from '../../../../pipeline/charts/table.ts';
import { CathedralError } from '../../../../pipeline/errors.ts';
import { perRelease } from '../explore/per-release.ts';
import type { SiteRelease } from '../release.ts';

/** A chart in its own choice of what to show, with the data of a release. */
export interface PreparedChart {
  id: string;
  title: string;
  unit: string;
  note: string;
  source: string;
  summary: string[];
  /** An SVG element in the colours of the page around it, without title, unit and source. */
  draw(width: number): string;
  /** The same in colours of its own, for a light ground. */
  drawAlone(width: number): string;
}

const preparers = new Map(
  CHARTS.map((chart) => [chart.id, perRelease((release) => prepare(release, chart))]),
);

/** Read and checked once for all pages that show it. Throws site_failed for an unknown id, release_invalid for its files. */
export function prepareChart(release: SiteRelease, id: string): PreparedChart {
  const preparer = preparers.get(id);
  if (preparer) return preparer(release);
  throw new CathedralError('site_failed', { place: 'charts', expected: 'a chart of the table', found: id });
}

function prepare(release: SiteRelease, chart: Chart): PreparedChart {
  const texts = chart.sources.map((path) => [path, release.text(path)]);
  const data = chart.prepare(Object.fromEntries(texts));
  return {
    id: chart.id,
    title: chart.title(data, DEFAULT_STATE),
    unit: chart.unit(data, DEFAULT_STATE),
    note: chart.note(data, DEFAULT_STATE),
    source: chart.source(data),
    summary: chart.summary(data, DEFAULT_STATE),
    draw: (width) => chart.draw(data, DEFAULT_STATE, { width, theme: 'page', parts: 'plot' }),
    drawAlone: (width) => chart.draw(data, DEFAULT_STATE, { width, theme: 'light', parts: 'plot' }),
  };
}
