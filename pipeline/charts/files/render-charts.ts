import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Organisation } from '../../artifacts/documents/organisation.ts';
import { PublishedFiles } from '../../artifacts/published-files.ts';
import { sourceDigest } from '../../config/source-digest.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { type Facts, type Manifest, type NewFile, sha256, storedAt } from '../../release/format/manifest.ts';
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
import { type ChartPrint, type PrintCharts, printKey } from './print-charts.ts';
import { rasterise, rasteriser } from './rasterise.ts';

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
  print: ChartPrint;
  rows: number;
  /** Of the data, to the second or the day; empty without data. */
  asOf: string;
  /** Of the texts: the digest of what they follow from. */
  key: string;
}

/**
 * Writes every chart as files in its default state: after the data files that it reads, and before the site, which links to them. A chart
 * whose sources are unchanged costs nothing; otherwise its texts are computed again, and of its other files those whose texts changed.
 */
export async function renderCharts(staging: Staging, options: ChartsOptions): Promise<void> {
  const sources = new Map(staging.files().map(({ path, sha256 }) => [path, sha256]));
  const fresh: { chart: Chart; key: string }[] = [];
  for (const chart of CHARTS) {
    const key = textKey(chart, sources, options);
    if (!(await takeOver(staging, chart, key, options))) fresh.push({ chart, key });
  }
  if (fresh.length === 0) return;
  options.log(`drawing ${fresh.length} charts`);
  // Less than the thread that could do it at the same time would cost: it would have to load all charts.
  const drawn: DrawnChart[] = [];
  const sizes = new Map(staging.files().map(({ path, bytes }) => [path, bytes]));
  const largest = ({ chart }: { chart: Chart }) =>
    chart.sources.toSorted((a, b) => sizes.get(b)! - sizes.get(a)!)[0];
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
    inParallel(each('pixels'), PARALLEL, ({ form, one }) => drawPixels(staging, form, one));
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

/** The digest of all that a chart's texts and the set of its files follow from: sources, address, formats and program. */
function textKey(
  { id, sources }: Chart,
  digests: ReadonlyMap<string, string>,
  { baseUrl, organisation, print }: ChartsOptions,
): string {
  const program = sourceDigest('pipeline', 'npm-shrinkwrap.json');
  const read = sources.map((path) => [path, digests.get(path)]);
  return sha256(JSON.stringify([program, id, read, baseUrl, organisation, print !== null]));
}

/**
 * Links all files of a chart from the previous release, if that made them from the same sources. Each keeps its key, which says what it
 * was made from itself. Returns false if some are missing or damaged.
 */
async function takeOver(
  staging: Staging,
  { id }: Chart,
  key: string,
  options: ChartsOptions,
): Promise<boolean> {
  const before = await staging.keysBefore();
  const keyOf = (form: ChartFormat) => before.get(storedAt({ path: chartPath(id, form), restricted: false }));
  const forms = formsOf(options);
  if (forms.some((form) => isText(form) && keyOf(form) !== key)) return false;
  let isWhole = true;
  for (const form of forms) {
    const known = keyOf(form);
    const isTaken = known !== undefined && (await staging.reuseMade(chartPath(id, form), known));
    isWhole &&= isTaken;
  }
  return isWhole;
}

function isText({ content }: ChartFormat): boolean {
  return isDrawnAlone(content) && content.kind !== 'pixels';
}

/** Draws charts that share their largest source, which is read once and then forgotten. */
async function drawGroup(
  staging: Staging,
  group: readonly { chart: Chart; key: string }[],
  digests: ReadonlyMap<string, string>,
  options: ChartsOptions,
): Promise<DrawnChart[]> {
  const paths = new Set(group.flatMap(({ chart }) => chart.sources));
  const texts: Record<string, string> = {};
  for (const path of paths) {
    const place = join(staging.dir, storedAt({ path, restricted: false }));
    texts[path] = await asDiskErrors(place, () => readFile(place, 'utf8'));
  }
  const files = PublishedFiles.of(texts, { compile: z.compile });
  const { baseUrl, organisation } = options;
  return group.map(({ chart, key }) => {
    const sources = chart.sources.map((path) => ({ path, sha256: digests.get(path)! }));
    const data = chart.prepare(files);
    return {
      ...drawOne(
        {
          chart: chart.creditedTo(organisation),
          data,
          state: DEFAULT_STATE,
          sources,
          baseUrl,
          licence: organisation.licence,
        },
        key,
        options,
      ),
      chart,
    };
  });
}

function drawOne(shown: ShownChart, key: string, options: ChartsOptions): DrawnChart {
  const { chart, data, state } = shown;
  const texts = new Map<string, string>();
  for (const { ending, content } of CHART_FORMATS)
    if (isDrawnAlone(content)) texts.set(ending, chartText(shown, content));
  const asOf = chart.asOf(data);
  return {
    chart,
    texts,
    print: {
      path: chartPath(chart.id, { ending: '.pdf' }),
      title: chart.title(data, state),
      drawing: drawChart(shown, 'print'),
      asOf: (asOf || options.facts.timestamp).slice(0, 10),
      author: options.organisation.name,
    },
    rows: chart.table(data, state).rows.length,
    asOf,
    key,
  };
}

async function writeText(staging: Staging, form: ChartFormat, drawn: DrawnChart): Promise<void> {
  const rows = form.content.kind === 'rows' ? drawn.rows : null;
  const content = drawn.texts.get(form.ending)!;
  await staging.write({ ...fileOf(form, drawn, rows), content }, drawn.key);
}

/** Takes over the previous picture if its drawing, its fonts, the rasteriser and what the manifest says of it are the same. */
async function drawPixels(staging: Staging, form: ChartFormat, drawn: DrawnChart): Promise<void> {
  const { mediaType, ...file } = fileOf(form, drawn);
  const svg = drawn.texts.get(form.ending)!;
  const key = sha256(JSON.stringify([rasteriser(), sha256(svg), file]));
  if (await staging.reuseMade(file.path, key)) return;
  await staging.write({ ...file, mediaType, content: await rasterise(svg) }, key);
}

/** Starts a browser only if a page changed. */
async function printMissing(
  staging: Staging,
  wanted: readonly { form: ChartFormat; one: DrawnChart }[],
  { print }: ChartsOptions,
): Promise<void> {
  const jobs: { file: Omit<NewFile, 'content'>; chart: ChartPrint; key: string }[] = [];
  for (const { form, one } of wanted) {
    const file = fileOf(form, one);
    const key = sha256(JSON.stringify([printKey(one.print), file]));
    if (!(await staging.reuseMade(file.path, key))) jobs.push({ file, chart: one.print, key });
  }
  if (!print || jobs.length === 0) return;
  const printed = await print(jobs.map(({ chart }) => chart));
  for (const [index, { file, key }] of jobs.entries())
    await staging.write({ ...file, content: printed[index]! }, key);
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
