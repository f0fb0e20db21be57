import { organisationIn, programIn, SERVER_ENTRY } from '../../../pipeline/build/site/open-program.ts';
import type { Chart } from '../../../pipeline/charts/chart.ts';
import { ownParameters } from '../../../pipeline/charts/chart-address.ts';
import { faultOf, formatChartState, parseChartState } from '../../../pipeline/charts/chart-state.ts';
import { CHART_PATHS } from '../../../pipeline/charts/files/chart-formats.ts';
import { chartBytes } from '../../../pipeline/charts/files/rasterise.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { unlessRefused } from '../../../pipeline/errors.ts';
import { compress } from '../../../pipeline/release/disk/compress.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { headersFor } from '../../../pipeline/release/format/response-headers.ts';
import { Problem } from '../../api/problem.ts';
import { invalidParameter, quoted } from '../../api/query/query.ts';
import { type ChartQuery, THEMES } from '../../api/routes/charts.ts';
import { RecentlyMade } from '../files/recently-made.ts';
import { answerWithFile, type ServedRelease } from '../files/releases.ts';
import {
  answerWith,
  type RequestHead,
  type Resource,
  representationOf,
  resourceInMemory,
} from '../files/representation.ts';
import type { Answer } from '../request/answer.ts';
import type { Render, Renderer } from './renderer.ts';

/** A page or a picture in some state, in every encoding that makes it smaller. */
interface Drawn {
  status: number;
  size: number;
  resource: Resource;
}

/** Something to be drawn for a client, which waits for its turn. */
interface DrawRequest<Query> {
  /** A page's is text without its question mark. */
  query: Query;
  /** Who counts as one client: the holder of a key, or a network. */
  client: string;
}

export type Charts = ReturnType<typeof createCharts>;

export interface ChartsOptions {
  renderer: Pick<Renderer, 'run'>;
  /** Without a trailing slash. */
  baseUrl: string;
}

/**
 * Charts in the states that addresses describe: their files, drawn from the data of the release, and their pages, rendered by
 * the site's program in the release. Both share one cache and one renderer. A state equal to the default is answered with
 * the release's own file.
 */
export function createCharts({ renderer, baseUrl }: ChartsOptions) {
  const cache = new RecentlyMade<Drawn>();
  /** `url`: the state, for which all clients get the same. With the headers of the release's own file. */
  const draw = (url: string, file: ManifestFile, client: string, release: ServedRelease, make: Make) =>
    cache.get(`${release.id} ${url}`, () =>
      renderer.run(client, release.dir, async (render) => {
        const { status, body } = await make(render);
        const plain = Buffer.from(body.buffer, body.byteOffset, body.length);
        const encoded = await compress(plain, file.media_type, ['br', 'gzip']);
        const about = { headers: headersFor(file), modified: release.manifest.timestamp };
        const size = plain.length + (encoded.br?.length ?? 0) + (encoded.gzip?.length ?? 0);
        return { status, size, resource: resourceInMemory(about, plain, encoded) };
      }),
    );
  return {
    /** A chart's file in a state; `file` is the release's own. Throws a Problem. */
    async answerFile(
      request: RequestHead,
      file: ManifestFile,
      { query, client }: DrawRequest<ChartQuery>,
      release: ServedRelease,
    ): Promise<Answer> {
      const canonical = canonicalQuery(file.path, query);
      if (canonical === '') return answerWithFile(request, release, file);
      const make: Make = (render) => drawFile(render, file.path, query, { release, baseUrl });
      const { resource } = await draw(`${file.path}?${canonical}`, file, client, release, make);
      return answerWith(request, resource);
    },
    /** A chart's page in a state; null if the path and query describe none. Throws a Problem. */
    answerPage(
      request: RequestHead,
      path: string,
      { query, client }: DrawRequest<string>,
      release: ServedRelease,
    ): Promise<Answer> | null {
      const asked = parsePageRequest(path, query, release);
      if (!asked) return null;
      const { file, url } = asked;
      const answer = async () => {
        if (url === null) return answerWithFile(request, release, file);
        const make: Make = (render) => drawPage(render, url, release);
        const { status, resource } = await draw(url, file, client, release, make);
        return status === 200 ? answerWith(request, resource) : refusedAnswer(request, resource, file);
      };
      return answer();
    },
  };
}

/** Draws with a thread. */
type Make = (render: Render) => Promise<{ status: number; body: Uint8Array }>;

/** The parameters of a chart's file, spelled in one way; empty for what the release's own file shows. */
export function canonicalQuery(path: string, { state, theme }: ChartQuery): string {
  const canonical = new URLSearchParams(formatChartState(findChart(CHART_PATHS.get(path)!.id)!, state));
  if (theme !== THEMES[0]) canonical.set('theme', theme);
  return canonical.toString();
}

async function drawFile(
  render: Render,
  path: string,
  { state, theme }: ChartQuery,
  { release, baseUrl }: { release: ServedRelease; baseUrl: string },
): Promise<{ status: number; body: Uint8Array }> {
  const { id, form } = CHART_PATHS.get(path)!;
  const chart = findChart(id)!;
  const { kind: made } = form;
  if (made === 'print') throw new Error(`${path} is not drawn on request`);
  const sources = chart.sources.map((path) => ({ path, sha256: release.files.get(path)!.sha256 }));
  const { dir } = release;
  const organisation = await organisationIn(dir);
  const about = { dir, id, state, made, theme, sources, baseUrl, organisation };
  const { status, body } = await render({ kind: 'file', ...about }).catch((error: unknown) => {
    const { name, expected, found } = faultOf(error);
    throw invalidParameter(name, expected, quoted(found));
  });
  return { status, body: await chartBytes(String(body), made) };
}

async function drawPage(render: Render, url: string, release: ServedRelease) {
  const { dir } = release;
  const { files: program, facts } = await programIn(release);
  return render({ kind: 'page', dir, url, program, facts });
}

/** The page that says what is wrong with its address: not cacheable, and without conditions and ranges. Throws a Problem for programs. */
function refusedAnswer(request: RequestHead, resource: Resource, { path }: ManifestFile): Answer {
  const { headers, content } = representationOf(resource, path.endsWith('.html') ? request.headers : {});
  const body = content.source as Buffer;
  if (!path.endsWith('.html')) throw new Problem('invalid_parameter', String(body).trimEnd());
  const { 'Last-Modified': _, 'Accept-Ranges': __, ETag: ___, ...kept } = headers;
  const own = { ...kept, 'Cache-Control': 'no-store' };
  return { status: 400, headers: own, body: request.method === 'HEAD' ? null : body };
}

/** A chart's page in the state that an address describes. */
interface PageRequest {
  /** The release's own page. */
  file: ManifestFile;
  /** What the site's program is asked for; the many spellings of a valid state share one. Null for the default state. */
  url: string | null;
}

/** Pages that take a state. */
const PAGE = /^(?:(?:charts|embed)\/([^/]+)\/|oembed\/([^/]+)\.json)$/;
const MAX_QUERY = 4096;

/** Null for a page that takes no state or is requested without one, and if the release has no program. */
function parsePageRequest(
  path: string,
  query: string,
  { files, manifest }: ServedRelease,
): PageRequest | null {
  const [, page, document] = PAGE.exec(path) ?? [];
  const file = files.get(path.endsWith('/') ? `${path}index.html` : path);
  const hasProgram = manifest.unlisted.some((one) => one.file === SERVER_ENTRY);
  const chart = findChart(page ?? document ?? '');
  if (query.length > MAX_QUERY || !chart || !file || !hasProgram) return null;
  const parameters = ownParameters(query);
  if (parameters.size === 0) return null;
  const canonical = canonicalOf(chart, parameters);
  return { file, url: canonical === '' ? null : `/${path}?${canonical}` };
}

/** What describes no state stays as it is: the page says what is wrong with it. */
function canonicalOf(chart: Chart, parameters: URLSearchParams): string {
  return (
    unlessRefused(() => formatChartState(chart, parseChartState(chart, parameters))) ?? String(parameters)
  );
}
