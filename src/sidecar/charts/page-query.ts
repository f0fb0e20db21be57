import { SERVER_ENTRY } from '../../../pipeline/build/site/open-program.ts';
import { type Chart, requireSeries } from '../../../pipeline/charts/chart.ts';
import { ownParameters } from '../../../pipeline/charts/chart-address.ts';
import {
  formatChartState,
  parseChartState,
  refusedView,
  stateFault,
} from '../../../pipeline/charts/chart-state.ts';
import { requireDays } from '../../../pipeline/charts/day-range.ts';
import { escapeText } from '../../../pipeline/charts/drawing/element.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { Problem } from '../../api/problem.ts';
import { invalidParameter } from '../../api/query/query.ts';
import { readReleaseText, type ServedRelease } from '../files/releases.ts';
import type { Answer } from '../request/answer.ts';

/** A chart's page in the state that an address describes. */
export interface PageRequest {
  chart: Chart;
  parameters: URLSearchParams;
  /** The release's own page. */
  file: ManifestFile;
  /** Where the site's program has it, to be followed by the parameters. */
  route: string;
}

/** Pages that take a state, and where the site's program has them. */
const ROUTES: readonly [path: RegExp, route: (id: string) => string][] = [
  [/^charts\/([^/]+)\/$/, (id) => `/charts/on-demand/${id}/`],
  [/^embed\/([^/]+)\/$/, (id) => `/embed/on-demand/${id}/`],
  [/^oembed\/([^/]+)\.json$/, (id) => `/oembed/on-demand/${id}.json`],
];
const MAX_QUERY = 4096;

/** Null for a page that takes no state or is requested without one, and if the release has no program. */
export function parsePageRequest(
  path: string,
  query: string,
  { files, manifest }: ServedRelease,
): PageRequest | null {
  const [pattern, route] = ROUTES.find(([pattern]) => pattern.test(path)) ?? [];
  const file = files.get(path.endsWith('/') ? `${path}index.html` : path);
  const hasProgram = manifest.unlisted.some((one) => one.file === SERVER_ENTRY);
  if (query.length > MAX_QUERY || !pattern || !route || !file || !hasProgram) return null;
  const chart = findChart(pattern.exec(path)![1]!);
  if (!chart) return null;
  const parameters = ownParameters(query);
  if (parameters.size === 0) return null;
  return { chart, parameters, file, route: route(chart.id) };
}

/** The address in the site's program; the many spellings of a valid state share one. Null for the default state. */
export function canonicalUrl({ chart, parameters, route }: PageRequest): string | null {
  const query = formatChartState(chart, parseChartState(chart, parameters));
  return query === '' ? null : `${route}?${query}`;
}

/** Where a page shows that its address describes no state; empty in the release. */
const STATUS = 'data-part="status"></p>';
/** The page's script leaves the view as it is if this element has `data-fault`. */
const ROOT = 'class="chart-page"';
const CHARACTERS = { quot: '"', lt: '<', gt: '>', amp: '&' };
/** The first and the last day that the release's own page offers. */
const DAYS = /data-range="([\d-]+) ([\d-]+) /;
/** The series that the release's own page offers. */
const OFFERED = /name="series" value="([^"]*)"/g;

/**
 * What is wrong with the state that a page's address describes; null if nothing is. This needs no rendering thread, since
 * anyone can send any number of invalid states.
 */
export async function stateFaultOf(
  { chart, parameters, file }: PageRequest,
  release: ServedRelease,
): Promise<string | null> {
  try {
    const state = parseChartState(chart, parameters);
    const { series, from, to } = state;
    if (series === null && from === null && to === null) return null;
    const page = (await readReleaseText(release, `charts/${chart.id}/index.html`)) ?? '';
    // An embed that names a day before the data began shows the days that there are, as it always did.
    const [, first, last] = (file.path.startsWith('charts/') && DAYS.exec(page)) || [];
    if (first !== undefined && last !== undefined) requireDays(chart.id, { first, last }, state);
    const offered = [...page.matchAll(OFFERED)].map(([, name]) => unescapeAttribute(name!));
    if (offered.length > 0) requireSeries(chart.id, offered, state);
    return null;
  } catch (error) {
    return stateFault(error);
  }
}

/**
 * 400 with the release's own page, which shows what is wrong; not cacheable. Throws a Problem invalid_parameter if there is no such page,
 * and for what only programs read.
 */
export async function invalidStateAnswer(
  file: ManifestFile,
  fault: string,
  release: ServedRelease,
): Promise<Answer> {
  const page = await readReleaseText(release, file.path);
  if (!file.path.endsWith('.html')) throw new Problem('invalid_parameter', `${fault}.`);
  if (!page?.includes(STATUS)) throw invalidParameter('state', 'one that the chart has', fault);
  const headers = { ...headersFor(file), 'Cache-Control': 'no-store' };
  return { status: 400, headers, body: Buffer.from(withFault(page, fault)) };
}

/** The value of an attribute as Astro writes it. */
function unescapeAttribute(attribute: string): string {
  return attribute
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(quot|lt|gt|amp);/g, (_, name: keyof typeof CHARACTERS) => CHARACTERS[name]);
}

function withFault(page: string, fault: string): string {
  return page
    .replace(ROOT, () => `${ROOT} data-fault`)
    .replace(STATUS, () => `data-part="status">${escapeText(refusedView(fault))}</p>`);
}
