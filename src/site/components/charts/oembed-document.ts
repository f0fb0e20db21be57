import { embedFrame } from '../../../../pipeline/charts/chart-address.ts';
import { DEFAULT_STATE } from '../../../../pipeline/charts/chart-state.ts';
import { chartPath, FILE_WIDTH } from '../../../../pipeline/charts/files/chart-formats.ts';
import type { OembedDocument } from '../../../api/oembed-document.ts';
import type { SiteRelease } from '../release.ts';
import { EMBED_WIDTH, frameHeight } from './embed-codes.ts';
import type { OpenChart } from './open-chart.ts';

/** The interval of releases, s. */
const CACHE_AGE = 6 * 60 * 60;

/** The static oEmbed document of a chart in its default state. The server answers for every state and size. */
export function oembedDocument(release: SiteRelease, { chart, data }: OpenChart): OembedDocument {
  const { baseUrl } = release;
  const title = chart.title(data, DEFAULT_STATE);
  const [width, height] = [EMBED_WIDTH, frameHeight(chart, data, DEFAULT_STATE)];
  return {
    version: '1.0',
    type: 'rich',
    title,
    provider_name: 'Cathedral Data Service',
    provider_url: `${baseUrl}/`,
    cache_age: CACHE_AGE,
    width,
    height,
    html: embedFrame({ baseUrl, id: chart.id, query: '', title, width, height }),
    ...thumbnailOf(release, { chart, data }),
  };
}

/** The PNG has two pixels per unit of the drawing. */
function thumbnailOf(release: SiteRelease, { chart, data }: OpenChart): Partial<OembedDocument> {
  const path = chartPath(chart.id, { ending: '.png' });
  if (!release.willHave(path)) return {};
  const drawing = chart.draw(data, DEFAULT_STATE, { width: FILE_WIDTH, theme: 'light' });
  return {
    thumbnail_url: `${release.baseUrl}/${path}`,
    thumbnail_width: 2 * FILE_WIDTH,
    thumbnail_height: 2 * Number(/ height="(\d+)"/.exec(drawing)![1]),
  };
}
