import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Organisation } from '../../artifacts/documents/organisation.ts';
import { PublishedFiles } from '../../artifacts/published-files.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { type Facts, type Manifest, type NewFile, storedAt } from '../../release/format/manifest.ts';
import { mediaTypeOf } from '../../release/format/media-types.ts';
import type { Staging } from '../../release/staging/staging.ts';
import { counted } from '../../words/number.ts';
import type { Chart } from '../chart.ts';
import { DEFAULT_STATE } from '../chart-state.ts';
import { chartCsv } from '../chart-table.ts';
import { CHARTS } from '../table.ts';
import { formatChartDocument } from './chart-document.ts';
import { CHART_FORMATS, type ChartFormat, chartPath } from './chart-formats.ts';
import { drawChart } from './chart-text.ts';
import type { PrintCharts } from './print-charts.ts';
import { rasterise } from './rasterise.ts';

/** Pictures that are drawn at once, in the thread pool. */
const PARALLEL = 2;

export interface ChartsOptions {
  facts: Pick<Facts, 'timestamp'>;
  /** Without a slash at the end. */
  baseUrl: string;
  organisation: Organisation;
  /** Null: no PDFs. */
  print: PrintCharts | null;
  log: (line: string) => void;
}

/** A file of a chart that is to be made; the data that it was computed from are gone. */
export interface ChartFile {
  chart: Chart;
  form: ChartFormat;
  about: Omit<NewFile, 'content'>;
  /** The text; for a PNG or a PDF, the drawing that it is made from. */
  text: string;
  /** What it shows. */
  title: string;
}

/**
 * Writes every chart as files in its default state: after the data files that it reads, and before the site, which links to them. A chart
 * whose sources are unchanged is linked. Any other is drawn, and its PNG and PDF are made if the drawing has changed. Gives the PDFs that
 * are left to `printCharts`, after the site: the browser needs as much memory as the thread that renders the pages.
 */
export async function renderCharts(staging: Staging, options: ChartsOptions): Promise<ChartFile[]> {
  const stale: Chart[] = [];
  for (const chart of CHARTS) if (!(await takeOver(staging, chart, options))) stale.push(chart);
  if (stale.length === 0) return [];
  options.log(`drawing ${counted(stale.length, 'chart')}`);
  const drawn = await drawCharts(staging, stale, options);
  // A damaged chart has been taken over in part.
  const staged = new Set(staging.paths());
  const files = drawn.filter(({ about }) => !staged.has(about.path));
  const of = (...kinds: ChartFormat['kind'][]) => files.filter(({ form }) => kinds.includes(form.kind));
  const write = ({ about, text }: ChartFile) => staging.write({ ...about, content: text });
  await inParallel(of('vector', 'rows', 'document'), PARALLEL, write);
  const changed: ChartFile[] = [];
  for (const file of of('pixels', 'print')) if (!(await takePicture(staging, file))) changed.push(file);
  await inParallel(changed, PARALLEL, async ({ form, about, text }) => {
    if (form.kind === 'pixels') await staging.write({ ...about, content: await rasterise(text) });
  });
  return changed.filter(({ form }) => form.kind === 'print');
}

/** Whether a release has charts. */
export function hasCharts({ files }: Pick<Manifest, 'files'>): boolean {
  return files.some(({ path }) => path === chartPath(CHARTS[0]!.id, CHART_FORMATS[0]!));
}

/** Whether a release has PDFs of its charts. */
export function hasChartPdfs({ files }: Pick<Manifest, 'files'>): boolean {
  return files.some(({ path }) => path === chartPath(CHARTS[0]!.id, { ending: '.pdf' }));
}

function formsOf({ print }: Pick<ChartsOptions, 'print'>): ChartFormat[] {
  return CHART_FORMATS.filter(({ kind }) => print !== null || kind !== 'print');
}

/**
 * Links all files of a chart from the previous release, if that made them from the same sources. Returns false if some are missing or
 * damaged.
 */
async function takeOver(staging: Staging, { id, sources }: Chart, options: ChartsOptions): Promise<boolean> {
  if (!staging.isSame(sources)) return false;
  let isWhole = true;
  for (const form of formsOf(options)) isWhole = (await staging.takeOver(chartPath(id, form))) && isWhole;
  return isWhole;
}

/** Takes over the previous picture if the chart's drawing, which is staged, and the day of its data are the same. */
async function takePicture(staging: Staging, { chart, about }: ChartFile): Promise<boolean> {
  const { path, as_of } = about;
  const isSame = staging.isSame([chartPath(chart.id, { ending: '.svg' })]);
  return isSame && staging.before(path)?.as_of === as_of && staging.takeOver(path);
}

/** In the order of the table. Charts that share their largest source are drawn together: it is read once and then forgotten. */
async function drawCharts(
  staging: Staging,
  charts: readonly Chart[],
  options: ChartsOptions,
): Promise<ChartFile[]> {
  const staged = new Map(staging.files().map((file) => [file.path, file]));
  const largest = ({ sources }: Chart) =>
    sources.toSorted((a, b) => staged.get(b)!.bytes - staged.get(a)!.bytes)[0];
  const drawn: ChartFile[] = [];
  for (const group of Map.groupBy(charts, largest).values()) {
    const texts: Record<string, string> = {};
    for (const path of new Set(group.flatMap(({ sources }) => sources))) {
      const place = join(staging.dir, storedAt({ path, restricted: false }));
      texts[path] = await asDiskErrors(place, () => readFile(place, 'utf8'));
    }
    const files = PublishedFiles.of(texts);
    const sha256 = (path: string) => staged.get(path)!.sha256;
    for (const chart of group) drawn.push(...filesOf(chart, files, sha256, options));
  }
  return drawn.sort((a, b) => CHARTS.indexOf(a.chart) - CHARTS.indexOf(b.chart));
}

function filesOf(
  chart: Chart,
  files: PublishedFiles,
  sha256: (path: string) => string,
  options: ChartsOptions,
): ChartFile[] {
  const { baseUrl, organisation } = options;
  const opened = chart.open(files, organisation);
  const sources = chart.sources.map((path) => ({ path, sha256: sha256(path) }));
  const shown = { chart: opened, state: DEFAULT_STATE, sources, baseUrl, licence: organisation.licence };
  const view = opened.show(DEFAULT_STATE);
  const drawing = drawChart(shown, 'light');
  const texts = {
    vector: drawing,
    pixels: drawing,
    print: drawChart(shown, 'print'),
    rows: chartCsv(view),
    document: formatChartDocument(shown),
  };
  const { id, area } = chart;
  return formsOf(options).map((form) => {
    const { kind } = form;
    const path = chartPath(id, form);
    const day = opened.asOf.slice(0, 10);
    return {
      chart,
      form,
      title: view.title,
      text: texts[kind],
      about: {
        path,
        // Like a schema, it describes data, any web page may read it, and it does not count towards a quota.
        kind: 'schema',
        area,
        restricted: false,
        mediaType: mediaTypeOf(path),
        rows: kind === 'rows' ? view.rows.length : null,
        // What a reader sees names the day of the data; another hour makes no other picture. The chart document names the second.
        as_of: (kind === 'document' ? opened.asOf : day) || undefined,
        immutable: false,
      },
    };
  });
}

/** Writes the PDFs that `renderCharts` has left; without any, it starts no browser. */
export async function printCharts(
  staging: Staging,
  files: readonly ChartFile[],
  { print, facts, organisation, log }: ChartsOptions,
): Promise<void> {
  if (!print || files.length === 0) return;
  log(`printing ${counted(files.length, 'chart')}`);
  const printed = await print(
    files.map(({ about, title, text }) => ({
      path: about.path,
      title,
      drawing: text,
      asOf: about.as_of ?? facts.timestamp.slice(0, 10),
      author: organisation.name,
    })),
  );
  for (const [index, { about }] of files.entries())
    await staging.write({ ...about, content: printed[index]! });
}
