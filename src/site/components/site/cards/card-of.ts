import type { Area } from '../../../../../pipeline/artifacts/artifact.ts';
import { findChart } from '../../../../../pipeline/charts/table.ts';
import { AREA_WORDS } from '../../areas.ts';

/** A picture that other sites show with a link to a page, 1200 × 630. */
export interface Card {
  path: string;
  /** What there is to see. */
  alt: string;
}

/** The card of a page: of its chart, else of its area, else of the whole. */
export function cardOf(pathname: string, area: Area | undefined): Card {
  const [, id = ''] = /^\/charts\/([^/]+)\/$/.exec(pathname) ?? [];
  const chart = findChart(id);
  if (chart) return { path: `/cards/charts/${id}.png`, alt: `Chart: ${chart.name}` };
  if (area) return { path: `/cards/${area}.png`, alt: `${AREA_WORDS[area].title}: key figures` };
  return { path: '/cards/home.png', alt: 'Cathedral Data Service: key figures' };
}
