import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { embedFrame, embedPath, ownParameters } from '../../../pipeline/charts/chart-address.ts';
import { formatChartState, parseChartState, stateFault } from '../../../pipeline/charts/chart-state.ts';
import { escapeText } from '../../../pipeline/charts/drawing/element.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { CACHE_CONTROL } from '../../../pipeline/release/format/response-headers.ts';
import { OembedDocument } from '../../api/oembed-document.ts';
import { Problem } from '../../api/problem.ts';
import type { OembedQuery } from '../../api/routes/charts.ts';
import { readReleaseText, type ServedRelease } from '../files/releases.ts';
import { type Answer, jsonAnswer } from '../request/answer.ts';
import type { Charts } from './charts-in-states.ts';

/** What the answer needs: the release, and who draws its charts in other states, if anyone does. */
export interface OembedSources {
  release: ServedRelease;
  charts: Pick<Charts, 'answerPage'> | null;
  client: string;
  /** Without a trailing slash. */
  baseUrl: string;
}

/** The chart at the address in `url`, as a frame no larger than requested (oEmbed 1.0). Throws a Problem. */
export async function answerOembed(
  { url, maxwidth = Infinity, maxheight = Infinity, format }: OembedQuery,
  sources: OembedSources,
): Promise<Answer> {
  const { baseUrl } = sources;
  const { id, query } = findPage(url, baseUrl);
  // The specification has status 501 for a format that is not offered (2.3.2).
  if (format !== 'json')
    throw new Problem('format_not_offered', `The format ${JSON.stringify(format)} is not offered; json is.`);
  const document = await documentOf(id, query, sources);
  const { title } = document;
  const { thumbnail_url: _, thumbnail_width = 0, thumbnail_height = 0, ...rest } = document;
  const width = Math.min(document.width, maxwidth);
  const height = Math.min(document.height, maxheight);
  const html = embedFrame({ baseUrl, id, query, title, width, height });
  // The same limits apply to the thumbnail, which exists in one size (2.3.4.1).
  const fits = thumbnail_width <= maxwidth && thumbnail_height <= maxheight;
  const { headers, ...answer } = jsonAnswer(200, { ...(fits ? document : rest), width, height, html });
  return { ...answer, headers: { ...headers, 'Cache-Control': CACHE_CONTROL.data } };
}

/** The document in the state requested, with its title and picture; that of the chart, without a picture, if no renderer is available. */
async function documentOf(
  id: string,
  query: string,
  { release, charts, client }: OembedSources,
): Promise<OembedDocument> {
  const path = `oembed/${id}.json`;
  const drawn =
    query === ''
      ? null
      : await charts
          ?.answerPage({ method: 'GET', headers: {} }, path, { query, client }, release)
          ?.catch(asNotFound);
  const text = drawn ? String(drawn.body) : await readReleaseText(release, path);
  if (text === null) throw new Problem('not_found', 'This release has no pages of its charts.');
  const document = parseJsonFile(text, OembedDocument, path, 'release_invalid');
  if (query === '' || document.html.includes(escapeText(embedPath(id, query)))) return document;
  const { thumbnail_url: _, thumbnail_width: __, thumbnail_height: ___, ...rest } = document;
  return { ...rest, title: findChart(id)!.name };
}

/** To oEmbed, an address of a view that does not exist is one that it has nothing for. */
function asNotFound(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'invalid_parameter') throw error;
  throw new Problem('not_found', `The chart has no such view: ${error.message}`);
}

const PAGE = /^\/(?:charts|embed)\/([^/]+)\/?$/;

/** The chart at an address of this service, with the canonical parameters of its state. Throws a Problem not_found. */
function findPage(url: string, baseUrl: string): { id: string; query: string } {
  const unknown = new Problem(
    'not_found',
    'The parameter url is not the address of a chart of this service.',
  );
  const base = new URL(baseUrl);
  const asked = URL.canParse(url) ? new URL(url) : null;
  // People also copy addresses with http.
  if (asked?.host !== base.host || !/^https?:$/.test(asked.protocol)) throw unknown;
  const chart = findChart(PAGE.exec(asked.pathname)?.[1] ?? '');
  if (!chart) throw unknown;
  try {
    return {
      id: chart.id,
      query: formatChartState(chart, parseChartState(chart, ownParameters(asked.search))),
    };
  } catch (error) {
    throw new Problem('not_found', `The chart has no such view: ${stateFault(error)}.`);
  }
}
