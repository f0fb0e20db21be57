import { join } from 'node:path';
import { parseJsonFile } from '../../../pipeline/artifacts/format/json.ts';
import { embedFrame } from '../../../pipeline/charts/drawing/embed-frame.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { CACHE_CONTROL } from '../../../pipeline/release/format/headers.ts';
import { storedAt } from '../../../pipeline/release/format/manifest.ts';
import { OembedDocument } from '../../api/oembed-document.ts';
import { Problem } from '../../api/problem.ts';
import type { ServedRelease } from '../files/releases.ts';
import type { Answer } from '../request/answer.ts';
import { type OembedRequest, parseOembedQuery } from './parse-oembed-query.ts';

export const OEMBED_PATH = 'oembed';

/** The chart that `url` is the address of, as a frame no larger than asked for. Throws a Problem. */
export async function answerOembed(query: string, release: ServedRelease, baseUrl: string): Promise<Answer> {
  const request = parseOembedQuery(query, baseUrl);
  // What a provider says to a format that it does not have: oEmbed 1.0, 2.3.2.
  if (request.format !== 'json')
    throw new Problem(
      'format_not_offered',
      `The format ${JSON.stringify(request.format)} is not offered; json is.`,
    );
  const path = `oembed/${request.id}.json`;
  const file = release.files.get(path);
  if (!file) throw new Problem('not_found', 'This release has no pages of its charts.');
  const text = String(await release.small.read(join(release.dir, storedAt(file)), file));
  const document = sized(parseJsonFile(text, OembedDocument, path, 'release_invalid'), request, baseUrl);
  return jsonAnswer(document);
}

/** In the state and within the size that are asked for. */
function sized(
  document: OembedDocument,
  { id, query, maxWidth, maxHeight }: OembedRequest,
  baseUrl: string,
): OembedDocument {
  const width = Math.min(document.width, maxWidth ?? Infinity);
  const height = Math.min(document.height, maxHeight ?? Infinity);
  // What a state shows is said by the page in the frame; the chart's name holds for all of them.
  const title = query === '' ? document.title : findChart(id)!.name;
  return {
    ...withinThumbnail(document, maxWidth, maxHeight),
    title,
    width,
    height,
    html: embedFrame({ baseUrl, id, query, title, width, height }),
  };
}

/** The same limits hold for the thumbnail, and there is only the one (2.3.4.1). */
function withinThumbnail(
  document: OembedDocument,
  maxWidth: number | null,
  maxHeight: number | null,
): OembedDocument {
  const { thumbnail_url, thumbnail_width = 0, thumbnail_height = 0, ...rest } = document;
  const fits = thumbnail_width <= (maxWidth ?? Infinity) && thumbnail_height <= (maxHeight ?? Infinity);
  return fits ? document : rest;
}

function jsonAnswer(document: OembedDocument): Answer {
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': CACHE_CONTROL.data,
    'Access-Control-Allow-Origin': '*',
  };
  return { status: 200, headers, body: Buffer.from(`${JSON.stringify(document)}\n`) };
}
