import { join } from 'node:path';
import type { Chart } from '../../../pipeline/charts/chart.ts';
import { parseChartState, refusedView, stateFault } from '../../../pipeline/charts/chart-state.ts';
import { escapeText } from '../../../pipeline/charts/drawing/element.ts';
import { headersFor } from '../../../pipeline/release/format/headers.ts';
import { type ManifestFile, storedAt } from '../../../pipeline/release/format/manifest.ts';
import { invalidParameter } from '../../api/query/parameters.ts';
import type { ServedRelease } from '../files/releases.ts';
import type { Answer } from '../request/answer.ts';

/** Where a page of the release says that it was asked for a view that it does not have: empty as long as it was not. */
const STATUS = 'data-part="status"></p>';
/** What a page's script looks at: with a fault it leaves the view as it is. */
const ROOT = 'class="chart-page"';
const CHARACTERS = { quot: '"', lt: '<', gt: '>', amp: '&' };
/** The choices of a chart's form, as the release's own page has them. */
const OFFERED = /name="series" value="([^"]*)"/g;

/**
 * What is wrong with the state that the parameters of a page ask for, in words; null for nothing. It is found without the
 * thread that draws, which has to do with what the chart has: everybody can think of any number of other values.
 */
export async function faultOf(
  { chart, parameters }: { chart: Chart; parameters: URLSearchParams },
  release: ServedRelease,
): Promise<string | null> {
  try {
    const { series } = parseChartState(chart, parameters);
    if (series === null) return null;
    const page = await ownPage(`charts/${chart.id}/index.html`, release);
    const offered = [...(page ?? '').matchAll(OFFERED)].map(([, name]) => plain(name!));
    const unknown = series.find((name) => !offered.includes(name));
    if (offered.length === 0 || unknown === undefined) return null;
    return `series: expected one of those of its page, found ${JSON.stringify(unknown)}`;
  } catch (error) {
    return stateFault(error);
  }
}

/** 400: the release's own page, with what is wrong; never kept. Throws a Problem invalid_parameter where it has no such page. */
export async function refuseState(
  file: ManifestFile,
  fault: string,
  release: ServedRelease,
): Promise<Answer> {
  const page = await ownPage(file.path, release);
  const isPage = file.path.endsWith('.html');
  if (isPage && !page?.includes(STATUS)) throw invalidParameter('state', 'one that the chart has', fault);
  const text = isPage ? withFault(page!, fault) : `${fault}\n`;
  const headers = { ...headersFor(file), 'Cache-Control': 'no-store' };
  return { status: 400, headers, body: Buffer.from(text) };
}

/** An attribute as Astro writes it, without its character references. */
function plain(attribute: string): string {
  return attribute
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(/&(quot|lt|gt|amp);/g, (_, name: keyof typeof CHARACTERS) => CHARACTERS[name]);
}

function withFault(page: string, fault: string): string {
  return page
    .replace(ROOT, () => `${ROOT} data-fault`)
    .replace(STATUS, () => `data-part="status">${escapeText(refusedView(fault))}</p>`);
}

async function ownPage(path: string, release: ServedRelease): Promise<string | null> {
  const file = release.files.get(path);
  if (!file) return null;
  return (await release.small.read(join(release.dir, storedAt(file)), file)).toString();
}
