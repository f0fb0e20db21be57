import type { Chart } from '../../../../pipeline/charts/chart.ts';
import { CHARTS } from '../../../../pipeline/charts/table.ts';
import { CathedralError } from '../../../../pipeline/errors.ts';
import { perRelease } from '../explore/per-release.ts';
import type { SiteRelease } from '../release.ts';

/** A chart with what its own `prepare` made of a release's files. */
export interface OpenChart {
  chart: Chart;
  data: unknown;
}

const openers = new Map(CHARTS.map((chart) => [chart.id, perRelease((release) => open(release, chart))]));

/** Read once for all pages that show it. Throws site_failed for an unknown id, release_invalid for its files. */
export function openChart(release: SiteRelease, id: string): OpenChart {
  const opener = openers.get(id);
  if (opener) return opener(release);
  throw new CathedralError('site_failed', { place: 'charts', expected: 'a chart of the table', found: id });
}

function open(release: SiteRelease, chart: Chart): OpenChart {
  const texts = chart.sources.map((path) => [path, release.text(path)]);
  return { chart, data: chart.prepare(Object.fromEntries(texts)) };
}
