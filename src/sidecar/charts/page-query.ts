import { SERVER_ENTRY } from '../../../pipeline/build/site/open-program.ts';
import type { Chart } from '../../../pipeline/charts/chart.ts';
import { ownParameters } from '../../../pipeline/charts/chart-address.ts';
import { formatChartState, parseChartState } from '../../../pipeline/charts/chart-state.ts';
import { findChart } from '../../../pipeline/charts/table.ts';
import { CathedralError } from '../../../pipeline/errors.ts';
import type { ManifestFile } from '../../../pipeline/release/format/manifest.ts';
import type { ServedRelease } from '../files/releases.ts';

/** A chart's page in the state that an address describes. */
export interface PageRequest {
  /** The release's own page. */
  file: ManifestFile;
  /** The address in the site's program; the many spellings of a valid state share one. Null for the default state. */
  url: string | null;
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
  const canonical = canonicalOf(chart, parameters);
  return { file, url: canonical === '' ? null : `${route(chart.id)}?${canonical}` };
}

/** What describes no state stays as it is: the page says what is wrong with it. */
function canonicalOf(chart: Chart, parameters: URLSearchParams): string {
  try {
    return formatChartState(chart, parseChartState(chart, parameters));
  } catch (error) {
    if (error instanceof CathedralError) return String(parameters);
    throw error;
  }
}
