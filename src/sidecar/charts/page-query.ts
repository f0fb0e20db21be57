import { SERVER_ENTRY } from '../../../pipeline/build/site/open-program.ts';
import type { Chart } from '../../../pipeline/charts/chart.ts';
import { ownParameters } from '../../../pipeline/charts/chart-address.ts';
import { parseChartState, refusedView, stateFault } from '../../../pipeline/charts/chart-state.ts';
import { escapeText } from '../../../pipeline/charts/drawing/element.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import { invalidParameter } from '../../api/query/parameters.ts';
import { readReleaseText, type ServedRelease } from '../files/releases.ts';
import type { Answer } from '../request/answer.ts';

/** A chart's page in the state that an address describes. */
export interface PageRequest {
  chart: Chart;
  parameters: URLSearchParams;
  /** The release's own page. */
  file: ManifestFile;
  /** As the site's program routes it. */
  url: string;
}

/** Pages that take a state: `charts/supply/`, `embed/supply/`, `embed/supply/frozen.txt`. */
const PATH = /^(charts|embed)\/([^/]+)\/(|frozen\.txt)$/;
const MAX_QUERY = 4096;

/** Null for a page that takes no state or is requested without one, and if the release has no program. */
export function parsePageRequest(
  path: string,
  query: string,
  { files, manifest }: ServedRelease,
): PageRequest | null {
  const [, folder, id = '', rest = ''] = PATH.exec(path) ?? [];
  const file = files.get(rest === '' ? `${path}index.html` : path);
  const hasProgram = manifest.unlisted.some((one) => one.file === SERVER_ENTRY);
  if (query.length > MAX_QUERY || !folder || !file || !hasProgram) return null;
  const chart = findChart(id);
  if (!chart) return null;
  // The many spellings of a query share one cache key.
  const parameters = ownParameters(query);
  if (parameters.size === 0) return null;
  return { chart, parameters, file, url: `/${folder}/on-demand/${id}/${rest}?${parameters}` };
}

/** Where a page shows that its address describes no state; empty in the release. */
const STATUS = 'data-part="status"></p>';
/** The page's script leaves the view as it is if this element has `data-fault`. */
const ROOT = 'class="chart-page"';
const CHARACTERS = { quot: '"', lt: '<', gt: '>', amp: '&' };
/** The series that the release's own page offers. */
const OFFERED = /name="series" value="([^"]*)"/g;

/**
 * What is wrong with the state that a page's address describes; null if nothing is. This needs no rendering thread, since
 * anyone can send any number of invalid states.
 */
export async function stateFaultOf(
  { chart, parameters }: Pick<PageRequest, 'chart' | 'parameters'>,
  release: ServedRelease,
): Promise<string | null> {
  try {
    const { series } = parseChartState(chart, parameters);
    if (series === null) return null;
    const page = await readReleaseText(release, `charts/${chart.id}/index.html`);
    const offered = [...(page ?? '').matchAll(OFFERED)].map(([, name]) => unescapeAttribute(name!));
    const unknown = series.find((name) => !offered.includes(name));
    if (offered.length === 0 || unknown === undefined) return null;
    return `series: expected one of those of its page, found ${JSON.stringify(unknown)}`;
  } catch (error) {
    return stateFault(error);
  }
}

/** 400 with the release's own page, which shows what is wrong; not cacheable. Throws a Problem invalid_parameter if there is no such page. */
export async function invalidStateAnswer(
  file: ManifestFile,
  fault: string,
  release: ServedRelease,
): Promise<Answer> {
  const page = await readReleaseText(release, file.path);
  const isPage = file.path.endsWith('.html');
  if (isPage && !page?.includes(STATUS)) throw invalidParameter('state', 'one that the chart has', fault);
  const text = isPage ? withFault(page!, fault) : `${fault}\n`;
  const headers = { ...headersFor(file), 'Cache-Control': 'no-store' };
  return { status: 400, headers, body: Buffer.from(text) };
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
