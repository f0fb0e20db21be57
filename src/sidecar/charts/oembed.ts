import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { embedFrame, embedPath, ownParameters } from '../../../pipeline/charts/chart-address.ts';
import { formatChartState, parseChartState } from '../../../pipeline/charts/chart-state.ts';
import { escapeText } from '../../../pipeline/charts/drawing/element.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import { CACHE_CONTROL } from '../../../pipeline/release/format/headers.ts';
import { OembedDocument } from '../../api/oembed-document.ts';
import { Problem } from '../../api/problem.ts';
import { invalidParameter, quoted } from '../../api/query/parameters.ts';
import { readReleaseText, type ServedRelease } from '../files/releases.ts';
import { type Answer, jsonAnswer } from '../request/answer.ts';
import type { Charts } from '../services.ts';

export const OEMBED_PATH = 'oembed';

/** What the answer needs: the release, and who draws its charts in other states, if anyone does. */
export interface OembedSources {
  release: ServedRelease;
  charts: Pick<Charts, 'answerPage'> | null;
  client: string;
  /** Without a trailing slash. */
  baseUrl: string;
}

/** The chart at the address in `url`, as a frame no larger than requested (oEmbed 1.0). Throws a Problem. */
export async function answerOembed(query: string, sources: OembedSources): Promise<Answer> {
  const request = parseOembedQuery(query, sources.baseUrl);
  // The specification has status 501 for a format that is not offered (2.3.2).
  if (request.format !== 'json')
    throw new Problem(
      'format_not_offered',
      `The format ${JSON.stringify(request.format)} is not offered; json is.`,
    );
  const document = withinSize(await documentOf(request, sources), request, sources.baseUrl);
  const { headers, ...answer } = jsonAnswer(200, document);
  return { ...answer, headers: { ...headers, 'Cache-Control': CACHE_CONTROL.data } };
}

/** The document in the state requested, with its title and picture; only its frame if no renderer is available. */
async function documentOf(
  { id, query }: OembedRequest,
  { release, charts, client, baseUrl }: OembedSources,
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
  const title = findChart(id)!.name;
  const { width, height } = document;
  const { thumbnail_url: _, thumbnail_width: __, thumbnail_height: ___, ...rest } = document;
  return { ...rest, title, html: embedFrame({ baseUrl, id, query, title, width, height }) };
}

/** To oEmbed, an address of a view that does not exist is one that it has nothing for. */
function asNotFound(error: unknown): never {
  if (!(error instanceof Problem) || error.code !== 'invalid_parameter') throw error;
  throw new Problem('not_found', `The chart has no such view: ${error.message}`);
}

/** Within the size requested. */
function withinSize(
  document: OembedDocument,
  { id, query, maxWidth, maxHeight }: OembedRequest,
  baseUrl: string,
): OembedDocument {
  const { title } = document;
  const width = Math.min(document.width, maxWidth ?? Infinity);
  const height = Math.min(document.height, maxHeight ?? Infinity);
  const html = embedFrame({ baseUrl, id, query, title, width, height });
  return { ...withinThumbnail(document, maxWidth, maxHeight), width, height, html };
}

/** The same limits apply to the thumbnail, which exists in one size (2.3.4.1). */
function withinThumbnail(
  document: OembedDocument,
  maxWidth: number | null,
  maxHeight: number | null,
): OembedDocument {
  const { thumbnail_url, thumbnail_width = 0, thumbnail_height = 0, ...rest } = document;
  const fits = thumbnail_width <= (maxWidth ?? Infinity) && thumbnail_height <= (maxHeight ?? Infinity);
  return fits ? document : rest;
}

interface OembedRequest {
  id: string;
  /** Canonical parameters of the chart's state. */
  query: string;
  /** px; null: the chart's own size. */
  maxWidth: number | null;
  maxHeight: number | null;
  /** `json`, or one that is not offered. */
  format: string;
}

const MIN_PX = 1;
const MAX_PX = 100_000;
const PAGE = /^\/(?:charts|embed)\/([^/]+)\/?$/;

/**
 * oEmbed 1.0, 2.2; unknown parameters are ignored, as consumers add their own. Throws a Problem: not_found for an address
 * that is not a chart of this service, invalid_parameter for an invalid value.
 */
function parseOembedQuery(query: string, baseUrl: string): OembedRequest {
  const parameters = new URLSearchParams(query);
  const url = parameters.get('url');
  if (!url) throw invalidParameter('url', 'the address of a chart', 'none');
  return {
    ...findPage(url, baseUrl),
    maxWidth: parsePixels('maxwidth', parameters.get('maxwidth')),
    maxHeight: parsePixels('maxheight', parameters.get('maxheight')),
    format: parameters.get('format') ?? 'json',
  };
}

function findPage(url: string, baseUrl: string): Pick<OembedRequest, 'id' | 'query'> {
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
    if (!(error instanceof CathedralError)) throw error;
    throw new Problem('not_found', `The chart has no such view: ${error.message}`);
  }
}

function parsePixels(name: string, value: string | null): number | null {
  if (value === null || value === '') return null;
  const pixels = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (pixels >= MIN_PX && pixels <= MAX_PX) return pixels;
  throw invalidParameter(name, `a number of pixels from ${MIN_PX} to ${MAX_PX}`, quoted(value));
}
