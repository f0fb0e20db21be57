import { formatChartState, parseChartState } from '../../../pipeline/charts/chart-state.ts';
import { ownParameters } from '../../../pipeline/charts/own-parameters.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { Problem } from '../../api/problem.ts';

export interface OembedRequest {
  id: string;
  /** Canonical parameters of the chart's state. */
  query: string;
  /** px; null: as the chart would have it. */
  maxWidth: number | null;
  maxHeight: number | null;
  /** `json`, or one that there is not. */
  format: string;
}

/** Smaller frames show no chart. */
const LEAST_PX = 1;
const MOST_PX = 100_000;
const PAGE = /^\/(?:charts|embed)\/([^/]+)\/?$/;

/**
 * oEmbed 1.0, 2.2. Parameters that it does not know are other people's and mean nothing here. Throws a Problem: not_found
 * for an address that is no chart of this service, invalid_parameter for one without sense.
 */
export function parseOembedQuery(query: string, baseUrl: string): OembedRequest {
  const parameters = new URLSearchParams(query);
  const url = parameters.get('url');
  if (!url)
    throw new Problem('invalid_parameter', 'The parameter url: expected the address of a chart, found none.');
  return {
    ...findPage(url, baseUrl),
    maxWidth: parsePixels('maxwidth', parameters.get('maxwidth')),
    maxHeight: parsePixels('maxheight', parameters.get('maxheight')),
    format: parameters.get('format') ?? 'json',
  };
}

function findPage(url: string, baseUrl: string): Pick<OembedRequest, 'id' | 'query'> {
  const unknown = new Problem('not_found', 'The parameter url is no address of a chart of this service.');
  const base = new URL(baseUrl);
  const asked = URL.canParse(url) ? new URL(url) : null;
  // People copy addresses with http, too; where the service is does not depend on it.
  if (asked?.host !== base.host || !/^https?:$/.test(asked.protocol)) throw unknown;
  const chart = findChart(PAGE.exec(asked.pathname)?.[1] ?? '');
  if (!chart) throw unknown;
  try {
    return {
      id: chart.id,
      query: formatChartState(chart, parseChartState(chart, ownParameters(asked.search))),
    };
  } catch (error) {
    if (!(error instanceof CathedralError)) throw error;
    throw new Problem('not_found', `The chart has no such view: ${error.message}`);
  }
}

function parsePixels(name: string, value: string | null): number | null {
  if (value === null || value === '') return null;
  const pixels = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (pixels >= LEAST_PX && pixels <= MOST_PX) return pixels;
  const expected = `a number of pixels from ${LEAST_PX} to ${MOST_PX}`;
  throw new Problem(
    'invalid_parameter',
    `The parameter ${name}: expected ${expected}, found ${JSON.stringify(value)}.`,
  );
}
