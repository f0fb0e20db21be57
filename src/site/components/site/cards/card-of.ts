import type { Area } from '../../../../../pipeline/artifacts/artifact.ts';
import { findChart } from '../../../../../pipeline/charts/table.ts';
import { AREA_WORDS } from '../../areas.ts';

/** The preview picture of a page, 1200 × 630. */
export interface Card {
  path: string;
  /** The text alternative. */
  alt: string;
}

/** The card of a page's chart, else of its area, else of the service. */
export function cardOf(pathname: string, area: Area | undefined): Card {
  const [, id = ''] = /^\/charts\/([^/]+)\/$/.exec(pathname) ?? [];
  const chart = findChart(id);
  if (chart) return { path: `/cards/charts/${id}.png`, alt: `Chart: ${chart.name}` };
  if (area) return { path: `/cards/${area}.png`, alt: `${AREA_WORDS[area].title}: key figures` };
  return { path: '/cards/home.png', alt: 'Cathedral Data Service: key figures' };
}
