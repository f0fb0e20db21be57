import type { OpenChart } from '../../../pipeline/charts/chart.ts';
import { embedFrame, withQuery } from '../../../pipeline/charts/chart-address.ts';
import { type ChartState, formatChartState } from '../../../pipeline/charts/chart-state.ts';
import { chartPath, FILE_WIDTH, pixelScale } from '../../../pipeline/charts/files/chart-formats.ts';
import type { OembedDocument } from '../../api/oembed-document.ts';
import { openRelease, type SiteRelease } from '../layout/release.ts';
import { EMBED_WIDTH, frameHeight } from './frame-height.ts';
import { sharedTitle } from './view-chart.ts';

/** The interval of releases, s. */
const CACHE_AGE = 6 * 60 * 60;

/** The oEmbed document of a chart: a file in its default state; the server answers for every state and size. */
export function oembedDocument(chart: OpenChart, state: ChartState): OembedDocument {
  const release = openRelease();
  const { baseUrl, organisation } = release;
  const query = formatChartState(chart, state);
  const title = query === '' ? chart.show(state).title : sharedTitle(chart, state);
  const [width, height] = [EMBED_WIDTH, frameHeight(chart.show(state))];
  return {
    version: '1.0',
    type: 'rich',
    title,
    provider_name: organisation.name,
    provider_url: `${baseUrl}/`,
    cache_age: CACHE_AGE,
    width,
    height,
    html: embedFrame({ baseUrl, id: chart.id, query, title, width, height }),
    ...thumbnailOf(release, chart, state),
  };
}

function thumbnailOf(release: SiteRelease, chart: OpenChart, state: ChartState): Partial<OembedDocument> {
  const path = chartPath(chart.id, { ending: '.png' });
  if (!release.willHave(path)) return {};
  const query = formatChartState(chart, { ...state, tab: 'chart' });
  const height = chart.show(state).height({ width: FILE_WIDTH, theme: 'light' });
  const scale = pixelScale(height);
  return {
    thumbnail_url: release.baseUrl + withQuery(`/${path}`, query),
    thumbnail_width: Math.round(scale * FILE_WIDTH),
    thumbnail_height: Math.round(scale * height),
  };
}
