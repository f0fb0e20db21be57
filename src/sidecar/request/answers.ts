import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { Problem } from '../../api/problem.ts';
import type { ExportQuery } from '../../api/query/export-query.ts';
import { readQuery } from '../../api/query/query.ts';
import { VersionQuery } from '../../api/query/version-query.ts';
import type { ChartQuery, OembedQuery } from '../../api/routes/charts.ts';
import type { Handler } from '../../api/routes/route.ts';
import type { Routed } from '../../api/routes/table.ts';
import { answerStatus } from '../attestations/answer-verify.ts';
import { answerOembed } from '../charts/oembed.ts';
import { parseLogPath } from '../files/log-files.ts';
import { answerWithFile, type ServedRelease } from '../files/releases.ts';
import { answerWith } from '../files/representation.ts';
import { versionBelow, versionOf } from '../files/versions.ts';
import { isReady } from '../health/readiness.ts';
import { wantsPage } from '../pages/plain-page.ts';
import type { Services } from '../services.ts';
import { type Answer, jsonAnswer, movedAnswer, notFoundPage } from './answer.ts';
import { clientOf, type RequestContext } from './request-context.ts';

/** An admitted request whose query was read. */
export interface Asked extends Routed {
  context: RequestContext;
  release: ServedRelease;
  /** As the row of the route declares it. */
  query: unknown;
  services: Services;
}

type ReleaseHandler = Exclude<Handler, ServiceHandler | 'verify'>;

/** What answers a route from the release and what is kept beside it. Each throws a Problem. */
export const ANSWERS: Readonly<Record<ReleaseHandler, (asked: Asked) => Promise<Answer> | Answer>> = {
  file: answerFile,
  chart: answerChart,
  export: ({ context: { request, holder }, query, release, services: { exporter } }) =>
    exporter.prepare(request, query as ExportQuery, holder ?? '', release),
  attestation: ({ parameters, release, services: { live, now } }) =>
    answerStatus({ name: parameters.id!, now: now() }, release, live),
  log: async (asked) => {
    const { context, services } = asked;
    const file = services.log && parseLogPath(context.path!);
    return file ? answerWith(context.request, await services.log!.find(file)) : answerMissing(asked);
  },
  snapshot: answerSnapshot,
  oembed: (asked) => {
    const { context, query, release, services } = asked;
    const { baseUrl, charts } = services;
    if (baseUrl === undefined) return answerMissing(asked);
    return answerOembed(query as OembedQuery, { release, charts, client: clientOf(context), baseUrl });
  },
  // A service that follows no ledger has no stream.
  live: answerMissing,
};

type ServiceHandler = 'health' | 'readiness' | 'rotation' | 'metrics' | 'status';

/** What the server says about itself: in no area, without a key, not counted, and also answered under high load. */
export const SERVICE_ANSWERS: Readonly<
  Record<ServiceHandler, (services: Services) => Promise<Answer> | Answer>
> = {
  health: () => jsonAnswer(200, { status: 'ok' }),
  /** 200 if the server can serve, else 503; in both cases with everything that is wrong. */
  readiness: async ({ readiness }) => {
    const found = await readiness();
    const ready = isReady(found);
    const { serving, stores, others } = found;
    const checks = Object.entries({ ...serving, ...stores }).map(([part, fault]) => [part, fault ?? 'ok']);
    const degraded = Object.entries({ ...stores, ...others }).filter(([, fault]) => fault !== null);
    return jsonAnswer(ready ? 200 : 503, {
      status: ready ? 'ready' : 'not_ready',
      checks: Object.fromEntries(checks),
      degraded: Object.fromEntries(degraded),
    });
  },
  /** No detail: it may be asked several times a second. */
  rotation: async ({ readiness }) => {
    const isIn = isReady(await readiness());
    return jsonAnswer(isIn ? 200 : 404, { rotation: isIn ? 'in' : 'out' });
  },
  metrics: async ({ metrics }) => {
    const { contentType, text } = await metrics.read();
    const headers = { 'Content-Type': contentType, 'Cache-Control': 'no-store' };
    return { status: 200, headers, body: Buffer.from(text) };
  },
  status: async ({ readStatus }) => {
    const status = await readStatus();
    if (!status) throw new Problem('unavailable', 'No run has finished yet.');
    return jsonAnswer(200, status);
  },
};

/** The file at a path, or a folder's page; where to redirect to if the slash is missing; null for neither. */
export function findFile(
  path: string,
  files: ReadonlyMap<string, ManifestFile>,
): ManifestFile | { movedTo: string } | null {
  const found = files.get(path === '' || path.endsWith('/') ? `${path}index.html` : path);
  if (found) return found;
  return files.has(`${path}/index.html`) ? { movedTo: `/${path}/` } : null;
}

/** A file of the release; for a chart's page the page in a state, for a real-time path the live document. */
function answerFile(asked: Asked): Promise<Answer> | Answer {
  const { context, release, route, services } = asked;
  const { request, path, query } = context;
  const found = findFile(path!, release.files);
  if (!found) return answerMissing(asked);
  if ('movedTo' in found) return movedAnswer(found.movedTo, query);
  if (query) {
    const isPage = route.query === null;
    const draw = { query, client: clientOf(context) };
    const page = isPage ? services.charts?.answerPage(request, path!, draw, release) : null;
    if (page) return page;
    if (!isPage) return answerVersion(asked, asked.query as VersionQuery);
    if (isVersioned(found)) return answerVersion(asked, readQuery(VersionQuery, query));
  }
  const live = services.live?.resource(path!);
  return live ? answerWith(request, live) : answerWithFile(request, release, found);
}

/** Files whose earlier versions snapshots keep, as far as they do. */
function isVersioned({ kind }: ManifestFile): boolean {
  return kind === 'data' || kind === 'schema' || kind === 'proof';
}

/** A file as it was: at a time, or with a hash. */
async function answerVersion(
  { context: { path, request }, release, services: { snapshots } }: Asked,
  query: VersionQuery,
): Promise<Answer> {
  if (!snapshots) throw new Problem('unknown_parameter', 'Earlier versions of this file are not kept.');
  const { resource, headers } = await versionOf({ snapshots, release }, path!, query);
  return withHeaders(await answerWith(request, resource), headers);
}

/** A chart's file, in the state of its address where that has one. */
function answerChart(asked: Asked): Promise<Answer> | Answer {
  const { context, query, release, services } = asked;
  const { request, path } = context;
  const file = release.files.get(path!);
  if (!file) return answerMissing(asked);
  if (!context.query || !services.charts) return answerWithFile(request, release, file);
  const draw = { query: query as ChartQuery, client: clientOf(context) };
  return services.charts.answerFile(request, file, draw, release);
}

async function answerSnapshot(asked: Asked): Promise<Answer> {
  const { context, release, services } = asked;
  const { path, query, request } = context;
  const { snapshots } = services;
  const stored = await snapshots?.find(path!);
  if (stored) return 'movedTo' in stored ? movedAnswer(stored.movedTo, query) : answerWith(request, stored);
  const version = snapshots && (await versionBelow({ snapshots, release }, path!));
  if (!version) return answerMissing(asked);
  return withHeaders(await answerWith(request, version.resource), version.headers);
}

function withHeaders(answer: Answer, more: Answer['headers']): Answer {
  return { ...answer, headers: { ...answer.headers, ...more } };
}

/** Until a release has its pages, they are rendered. A browser gets the site's 404 page, any other client a problem document. */
async function answerMissing({ context, release, services: { pages } }: Asked): Promise<Answer> {
  const rendered = await pages?.answer(context, release);
  if (rendered) return rendered;
  const page = release.files.get('404.html');
  if (!page || !wantsPage(context.request)) throw new Problem('not_found', undefined, { Vary: 'Accept' });
  // Without the request's conditions and range, which are not about this page.
  return notFoundPage(context.path!, await answerWithFile({ method: 'GET', headers: {} }, release, page));
}
