import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Organisation } from '../../artifacts/documents/organisation.ts';
import { PublishedFiles } from '../../artifacts/published-files.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { type Facts, type Manifest, type NewFile, storedAt } from '../../release/format/manifest.ts';
import { mediaTypeOf } from '../../release/format/media-types.ts';
import type { Staging } from '../../release/staging/staging.ts';
import type { Chart } from '../chart.ts';
import { DEFAULT_STATE } from '../chart-state.ts';
import { CHARTS } from '../table.ts';
import {
  CHART_FORMATS,
  type ChartFormat,
  chartPath,
  isDrawnAlone,
  type ShownChart,
} from './chart-formats.ts';
import { chartText, drawChart } from './chart-text.ts';
import type { ChartPrint, PrintCharts } from './print-charts.ts';
import { rasterise } from './rasterise.ts';

/** Pictures that are drawn at once, in the thread pool. The browser that prints the PDFs works at the same time. */
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

/** The texts of a chart's files, and what the files made from them need. The data that they were computed from are gone. */
interface DrawnChart {
  chart: Chart;
  /** By ending; for a PNG, the drawing that it is rasterised from. */
  texts: ReadonlyMap<string, string>;
  print: ChartPrint | null;
  rows: number;
  /** Of the data, to the second or the day; empty without data. */
  asOf: string;
}

/**
 * Writes every chart as files in its default state: after the data files that it reads, and before the site, which links to them. A chart
 * whose sources are unchanged is linked. Any other is drawn, and its PNG and PDF are made if the drawing has changed.
 */
export async function renderCharts(staging: Staging, options: ChartsOptions): Promise<void> {
  const fresh: Chart[] = [];
  for (const chart of CHARTS) if (!(await takeOver(staging, chart, options))) fresh.push(chart);
  if (fresh.length === 0) return;
  options.log(`drawing ${fresh.length} charts`);
  // Less than the thread that could do it at the same time would cost: it would have to load all charts.
  const drawn: DrawnChart[] = [];
  const sources = new Map(staging.files().map((file) => [file.path, file]));
  const largest = (chart: Chart) =>
    chart.sources.toSorted((a, b) => sources.get(b)!.bytes - sources.get(a)!.bytes)[0];
  for (const group of Map.groupBy(fresh, largest).values())
    drawn.push(...(await drawGroup(staging, group, sources, options)));
  drawn.sort((a, b) => CHARTS.indexOf(a.chart) - CHARTS.indexOf(b.chart));
  // A damaged chart has been taken over in part.
  const staged = new Set(staging.paths());
  const missing = (form: ChartFormat, { chart }: DrawnChart) => !staged.has(chartPath(chart.id, form));
  const each = (kind: ChartFormat['content']['kind']) =>
    formsOf(options)
      .filter(({ content }) => content.kind === kind)
      .flatMap((form) => drawn.filter((one) => missing(form, one)).map((one) => ({ form, one })));
  const texts = [...each('vector'), ...each('rows'), ...each('document')];
  await inParallel(texts, PARALLEL, ({ form, one }) => writeText(staging, form, one));
  const pixels = () =>
    inParallel(each('pixels'), PARALLEL, ({ form, one }) => writePixels(staging, form, one));
  const prints = () => printMissing(staging, each('print'), options);
  await inParallel([pixels, prints], 2, (work) => work());
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
  return CHART_FORMATS.filter(({ content }) => print !== null || content.kind !== 'print');
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

/** Draws charts that share their largest source, which is read once and then forgotten. */
async function drawGroup(
  staging: Staging,
  group: readonly Chart[],
  staged: ReadonlyMap<string, { sha256: string }>,
  options: ChartsOptions,
): Promise<DrawnChart[]> {
  const texts: Record<string, string> = {};
  for (const path of new Set(group.flatMap(({ sources }) => sources))) {
    const place = join(staging.dir, storedAt({ path, restricted: false }));
    texts[path] = await asDiskErrors(place, () => readFile(place, 'utf8'));
  }
  const files = PublishedFiles.of(texts, { compile: z.compile });
  const { baseUrl, organisation } = options;
  const { licence } = organisation;
  return group.map((chart) => {
    const sources = chart.sources.map((path) => ({ path, sha256: staged.get(path)!.sha256 }));
    const opened = chart.open(files, organisation);
    const shown = { chart: opened, state: DEFAULT_STATE, sources, baseUrl, licence };
    return { ...drawOne(shown, options), chart };
  });
}

function drawOne(
  shown: ShownChart,
  { print, facts, organisation }: ChartsOptions,
): Omit<DrawnChart, 'chart'> {
  const { chart, state } = shown;
  const { asOf } = chart;
  const { title, rows } = chart.show(state);
  const drawing = drawChart(shown, 'light');
  const texts = new Map(
    CHART_FORMATS.flatMap(({ ending, content }) =>
      isDrawnAlone(content) ? [[ending, 'theme' in content ? drawing : chartText(shown, content)]] : [],
    ),
  );
  return {
    texts,
    print: print && {
      path: chartPath(chart.id, { ending: '.pdf' }),
      title,
      drawing: drawChart(shown, 'print'),
      asOf: (asOf || facts.timestamp).slice(0, 10),
      author: organisation.name,
    },
    rows: rows.length,
    asOf,
  };
}

async function writeText(staging: Staging, form: ChartFormat, drawn: DrawnChart): Promise<void> {
  const rows = form.content.kind === 'rows' ? drawn.rows : null;
  await staging.write({ ...fileOf(form, drawn, rows), content: drawn.texts.get(form.ending)! });
}

async function writePixels(staging: Staging, form: ChartFormat, drawn: DrawnChart): Promise<void> {
  const file = fileOf(form, drawn);
  if (await takePicture(staging, file, drawn)) return;
  await staging.write({ ...file, content: await rasterise(drawn.texts.get(form.ending)!) });
}

/** Takes over the previous picture if the chart's drawings, which are staged, and the day of its data are the same. */
async function takePicture(
  staging: Staging,
  { path, as_of }: Omit<NewFile, 'content'>,
  { chart }: DrawnChart,
): Promise<boolean> {
  const vectors = CHART_FORMATS.filter(({ content }) => content.kind === 'vector');
  const isSame = staging.isSame(vectors.map((form) => chartPath(chart.id, form)));
  return isSame && staging.before(path)?.as_of === as_of && staging.takeOver(path);
}

/** Starts a browser only if a page changed. */
async function printMissing(
  staging: Staging,
  wanted: readonly { form: ChartFormat; one: DrawnChart }[],
  { print }: ChartsOptions,
): Promise<void> {
  const jobs: { file: Omit<NewFile, 'content'>; chart: ChartPrint }[] = [];
  for (const { form, one } of wanted) {
    const file = fileOf(form, one);
    if (!(await takePicture(staging, file, one))) jobs.push({ file, chart: one.print! });
  }
  if (!print || jobs.length === 0) return;
  const printed = await print(jobs.map(({ chart }) => chart));
  for (const [index, { file }] of jobs.entries()) await staging.write({ ...file, content: printed[index]! });
}

function fileOf(
  form: ChartFormat,
  { chart, asOf }: DrawnChart,
  rows: number | null = null,
): Omit<NewFile, 'content'> {
  const path = chartPath(chart.id, form);
  return {
    path,
    // Like a schema, it describes data, any web page may read it, and it does not count towards a quota.
    kind: 'schema',
    area: chart.area,
    restricted: false,
    mediaType: mediaTypeOf(path),
    rows,
    // What a reader sees names the day of the data; another hour makes no other picture. The chart document names the second.
    as_of: (form.content.kind === 'document' ? asOf : asOf.slice(0, 10)) || undefined,
    immutable: false,
  };
}
