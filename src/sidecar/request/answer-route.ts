import { CACHE_CONTROL } from '../../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { Problem } from '../../api/problem.ts';
import { parseVersionQuery } from '../../api/query/version-query.ts';
import { answerStatus } from '../attestations/answer-verify.ts';
import { answerOembed } from '../charts/oembed.ts';
import { answerWithFile, type ServedRelease } from '../files/releases.ts';
import { answerWith } from '../files/representation.ts';
import { Versions, versionHeaders } from '../files/versions.ts';
import { wantsPage } from '../pages/plain-page.ts';
import type { DrawRequest, Services } from '../services.ts';
import type { Answer } from './answer.ts';
import { clientOf, type RequestContext } from './request-context.ts';
import type { Route } from './route.ts';

/** Routes that are answered from the release and what is kept beside it. */
export type ReleaseRoute = Exclude<Route, { kind: 'verify' }>;

interface RoutedRequest<Kind extends Route['kind']> {
  context: RequestContext;
  release: ServedRelease;
  route: Extract<Route, { kind: Kind }>;
  services: Services;
}

type Answers = { [Kind in ReleaseRoute['kind']]: (routed: RoutedRequest<Kind>) => Promise<Answer> | Answer };

/** Each throws a Problem. */
const ANSWERS: Answers = {
  file: answerFile,
  chart: (routed) => {
    const { context, release, route, services } = routed;
    const { charts } = services;
    if (!charts) return answerFile(routed);
    return charts.answerFile(context.request, route.file, drawRequest(context), release);
  },
  export: ({ context: { request, query, holder }, release, services: { exporter } }) =>
    exporter.prepare(request, query, holder ?? '', release),
  moved: ({ context, route }) => movedAnswer(route.to, context.query),
  status: ({ context: { query }, release, route: { name }, services: { live, now } }) =>
    answerStatus({ name, query, now: now() }, release, live),
  log: async ({ context, release, route, services }) => {
    const { log } = services;
    if (!log) return answerMissing(context, release, services);
    if (context.query) throw new Problem('unknown_parameter', 'A file of the log takes no parameters.');
    return answerWith(context.request, await log.find(route.file));
  },
  snapshot: answerSnapshot,
  oembed: ({ context, release, services }) => {
    const { baseUrl, charts } = services;
    if (baseUrl === undefined) return answerMissing(context, release, services);
    return answerOembed(context.query, { release, charts, client: clientOf(context), baseUrl });
  },
  nothing: ({ context, release, services }) => answerMissing(context, release, services),
};

/** The answer to an admitted request. Throws a Problem. */
export function answerRoute(
  context: RequestContext,
  release: ServedRelease,
  route: ReleaseRoute,
  services: Services,
): Promise<Answer> | Answer {
  const answer = ANSWERS[route.kind] as (
    routed: RoutedRequest<ReleaseRoute['kind']>,
  ) => Promise<Answer> | Answer;
  return answer({ context, release, route, services });
}

/** A file of the release; for a chart's page the page in a state, for a real-time path the live document. */
function answerFile({
  context,
  release,
  route: { file },
  services,
}: RoutedRequest<'file'> | RoutedRequest<'chart'>): Promise<Answer> | Answer {
  const { request, path, query } = context;
  const page = query ? services.charts?.answerPage(request, path!, drawRequest(context), release) : null;
  if (page) return page;
  if (query && isVersioned(file)) return answerVersion(context, release, services);
  const live = services.live?.resource(path!);
  return live ? answerWith(request, live) : answerWithFile(request, release, file);
}

/** Files whose earlier versions snapshots keep, as far as they do. */
function isVersioned({ kind }: ManifestFile): boolean {
  return kind === 'data' || kind === 'schema' || kind === 'proof';
}

/** A file as it was: at a time, or with a hash. */
async function answerVersion(
  { path, query, request, restricted }: RequestContext,
  release: ServedRelease,
  { snapshots }: Services,
): Promise<Answer> {
  if (restricted || !snapshots)
    throw new Problem(
      'unknown_parameter',
      'This file takes no parameters: its earlier versions are not kept.',
    );
  const asked = parseVersionQuery(query);
  const versions = new Versions(snapshots, release);
  if ('sha256' in asked) {
    const { resource, id } = await versions.withHash(path!, asked.sha256);
    const headers = { 'Cache-Control': CACHE_CONTROL.immutable, ...(id && versionHeaders(path!, id)) };
    return withHeaders(await answerWith(request, resource), headers);
  }
  const { resource, id, isFinal } = await versions.at(path!, asked.slot);
  const freshness = isFinal ? CACHE_CONTROL.immutable : CACHE_CONTROL.data;
  const headers = { 'Cache-Control': freshness, ...versionHeaders(path!, id) };
  return withHeaders(await answerWith(request, resource), headers);
}

function withHeaders(answer: Answer, more: Answer['headers']): Answer {
  return { ...answer, headers: { ...answer.headers, ...more } };
}

function drawRequest(context: RequestContext): DrawRequest {
  return { query: context.query, client: clientOf(context) };
}

async function answerSnapshot({ context, release, services }: RoutedRequest<'snapshot'>): Promise<Answer> {
  const { path, query, request } = context;
  const found = await services.snapshots?.find(path!);
  if (!found) return answerAssembled(context, release, services);
  if ('movedTo' in found) return movedAnswer(found.movedTo, query);
  if (query && !path!.endsWith('/'))
    throw new Problem('unknown_parameter', 'A file of a snapshot takes no parameters.');
  return answerWith(request, found);
}

/** What no snapshot stores at this path: a history, or a file of a snapshot that is not kept and whose bytes another one has. */
async function answerAssembled(
  context: RequestContext,
  release: ServedRelease,
  services: Services,
): Promise<Answer> {
  const { path, query, request } = context;
  const { snapshots } = services;
  const found = snapshots && (await new Versions(snapshots, release).below(path!));
  if (!found) return answerMissing(context, release, services);
  if (query) throw new Problem('unknown_parameter', 'A file of a snapshot takes no parameters.');
  const { resource, id } = found;
  const below = path!.split('/').slice(2).join('/');
  return withHeaders(await answerWith(request, resource), versionHeaders(below, id));
}

function movedAnswer(to: string, query: string): Answer {
  const headers = { Location: `${to}${query && `?${query}`}`, 'Content-Length': '0' };
  return { status: 308, headers, body: null };
}

/** Until a release has its pages, they are rendered. A browser gets the site's 404 page, any other client a problem document. */
async function answerMissing(
  context: RequestContext,
  release: ServedRelease,
  { pages }: Services,
): Promise<Answer> {
  const rendered = await pages?.answer(context, release);
  if (rendered) return rendered;
  const page = release.files.get('404.html');
  const vary = { Vary: 'Accept' };
  if (!page || !wantsPage(context.request))
    throw new Problem('not_found', 'No file is published at this path.', vary);
  // Without the request's conditions and range, which are not about this page.
  const { headers, body } = await answerWithFile({ method: 'GET', headers: {} }, release, page);
  const type = { 'Content-Type': headers['Content-Type']!, 'Content-Length': headers['Content-Length']! };
  return { status: 404, headers: { ...type, 'Cache-Control': 'no-store', ...vary }, body };
}
