import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PublishedFiles } from '../../artifacts/published-files.ts';
import { asDiskErrors } from '../../disk/durable.ts';
import { inParallel } from '../../disk/in-parallel.ts';
import { LICENCE } from '../../forms/catalogue/facts.ts';
import { linkFile } from '../../forms/record-file.ts';
import { zipFiles } from '../../forms/zip.ts';
import { type Facts, type Manifest, storedAt } from '../../release/format/manifest.ts';
import { mediaTypeOf } from '../../release/format/media-types.ts';
import type { Staging } from '../../release/staging/staging.ts';
import type { Chart } from '../chart.ts';
import { DEFAULT_STATE } from '../chart-state.ts';
import { CHARTS } from '../table.ts';
import {
  CHART_FORMATS,
  type ChartFormat,
  chartPath,
  coversAllStates,
  type ShownChart,
} from './chart-formats.ts';
import { chartText, drawChart } from './chart-text.ts';
import { citeChart, formatCitations } from './cite-chart.ts';
import type { PrintCharts } from './print-charts.ts';
import { chartBytes } from './rasterise.ts';

/** Line width of the plain text, characters. */
const LINE = 78;

interface ReadMe {
  /** The publishing organisation. */
  author: string;
  /** Endings of the files in the archive. */
  endings: readonly string[];
}

/** `readme.txt` of a chart's archive: contents, source and citation. */
function formatReadMe(shown: ShownChart, { author, endings }: ReadMe): string {
  const { chart, data, state, sources, baseUrl } = shown;
  const { id } = chart;
  const forms = CHART_FORMATS.filter(({ ending }) => endings.includes(ending));
  const widest = Math.max(...forms.map(({ ending }) => ending.length));
  const citation = citeChart(shown, author);
  const said = [chart.unit(data, state), chart.summary(data, state).join(' '), chart.note(data, state)];
  const sections = [
    underlined(chart.title(data, state), '='),
    ...said.filter((text) => text !== '').map(wrapped),
    underlined('Files', '-'),
    forms.map(({ ending, title }) => `${(id + ending).padEnd(id.length + widest)}  ${title}`).join('\n'),
    underlined(`Columns of ${id}.csv`, '-'),
    columnLines(shown),
    underlined('How to cite', '-'),
    citation ? formatCitations(citation).trimEnd() : 'There is nothing to cite yet.',
    underlined('Source', '-'),
    wrapped(chart.source(data)),
    `The current chart: ${baseUrl}/${chartPath(id, { ending: '/' })}`,
    sources.map(({ path, sha256 }) => `${baseUrl}/${path}\n  SHA-256 ${sha256}`).join('\n'),
    underlined('Licence', '-'),
    `${LICENCE.title} (${LICENCE.name})\n${LICENCE.path}`,
  ];
  return `${sections.join('\n\n')}\n`.replaceAll(/^(=+|-+)\n\n/gm, '$1\n');
}

function columnLines({ chart, data, state }: ShownChart): string {
  const { columns } = chart.table(data, state);
  return columns
    .map(({ name, title, unit }) => `${name}: ${title}${unit === '' ? '' : `, in ${unit}`}`)
    .join('\n');
}

function underlined(text: string, character: '=' | '-'): string {
  return `${text}\n${character.repeat(Math.min(text.length, LINE))}`;
}

/** Breaks at spaces; a word that is longer than a line has its own. */
function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trimStart();
    if (lines.length > 0 && longer.length <= LINE) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** Charts in parallel: the thread pool, which rasterises them, has four threads. */
const PARALLEL = 2;

export interface ChartsOptions {
  facts: Pick<Facts, 'timestamp' | 'inputs'>;
  /** Without a slash at the end. */
  baseUrl: string;
  /** The publishing organisation. */
  author: string;
  /** Null: no PDFs. */
  print: PrintCharts | null;
  log: (line: string) => void;
}

/** The files of a chart: the bytes by ending. */
type Written = Map<string, Uint8Array>;

/**
 * Writes every chart as files in its default state: after the data files that it reads, and before the site, which links to
 * them. If the sources of a chart are unchanged, its files are linked from the previous release.
 */
export async function renderCharts(staging: Staging, options: ChartsOptions): Promise<void> {
  const fresh: Chart[] = [];
  const sources = new Map(staging.files().map(({ path, sha256 }) => [path, sha256]));
  for (const chart of CHARTS) {
    if (isUnchanged(staging, chart, sources, options)) await takeOver(staging, chart, options);
    else fresh.push(chart);
  }
  if (fresh.length === 0) return;
  options.log(`drawing ${fresh.length} charts`);
  const shown = await Promise.all(fresh.map((chart) => show(staging, chart, sources, options)));
  const printed = await printAll(staging, shown, options);
  await inParallel(shown.entries(), PARALLEL, async ([index, chart]) => {
    await writeChart(staging, chart, printed?.[index] ?? null, options);
  });
}

/** Whether a release has charts. */
export function hasCharts({ files }: Pick<Manifest, 'files'>): boolean {
  return files.some(({ path }) => path === chartPath(CHARTS[0]!.id, CHART_FORMATS[0]!));
}

/** Whether a release has PDFs of its charts. */
export function hasChartPdfs({ files }: Pick<Manifest, 'files'>): boolean {
  return files.some(({ path }) => path === chartPath(CHARTS[0]!.id, { ending: '.pdf' }));
}

function formsOf({ print }: ChartsOptions): ChartFormat[] {
  return CHART_FORMATS.filter(({ content }) => print !== null || content.kind !== 'print');
}

/** Whether documents, address, software, source bytes and formats are the same as in the previous release. */
function isUnchanged(
  staging: Staging,
  { id, sources }: Chart,
  now: ReadonlyMap<string, string>,
  options: ChartsOptions,
): boolean {
  const { previous, reuse } = staging;
  if (!reuse || previous?.manifest.inputs !== options.facts.inputs) return false;
  const wanted = new Set(formsOf(options));
  const isThere = (form: ChartFormat) => staging.before(chartPath(id, form)) !== undefined;
  return (
    CHART_FORMATS.every((form) => isThere(form) === wanted.has(form)) &&
    sources.every((path) => staging.before(path)?.sha256 === now.get(path))
  );
}

async function takeOver(staging: Staging, { id }: Chart, options: ChartsOptions): Promise<void> {
  for (const form of formsOf(options)) await linkFile(staging, chartPath(id, form));
}

async function show(
  staging: Staging,
  chart: Chart,
  sources: ReadonlyMap<string, string>,
  { baseUrl }: ChartsOptions,
): Promise<ShownChart> {
  const texts = chart.sources.map(async (path) => {
    const place = join(staging.dir, storedAt({ path, restricted: false }));
    return [path, await asDiskErrors(place, () => readFile(place, 'utf8'))] as const;
  });
  return {
    chart,
    data: chart.prepare(PublishedFiles.of(Object.fromEntries(await Promise.all(texts)))),
    state: DEFAULT_STATE,
    sources: chart.sources.map((path) => ({ path, sha256: sources.get(path)! })),
    baseUrl,
  };
}

async function printAll(
  staging: Staging,
  shown: readonly ShownChart[],
  { print, facts }: ChartsOptions,
): Promise<Uint8Array[] | null> {
  if (!print) return null;
  const charts = shown.map((one) => ({
    path: chartPath(one.chart.id, { ending: '.pdf' }),
    title: one.chart.title(one.data, one.state),
    drawing: drawChart(one, 'print'),
    asOf: one.chart.asOf(one.data) || facts.timestamp,
  }));
  return print(charts, { profile: join(staging.scratch, 'browser-charts') });
}

async function writeChart(
  staging: Staging,
  shown: ShownChart,
  pdf: Uint8Array | null,
  options: ChartsOptions,
): Promise<void> {
  const written: Written = new Map();
  for (const form of formsOf(options)) {
    const { ending, content } = form;
    if (coversAllStates(content)) written.set(ending, await chartBytes(chartText(shown, content), content));
    else written.set(ending, content.kind === 'print' ? pdf! : archive(shown, written, options));
    await writeFile(staging, shown, form, written.get(ending)!);
  }
}

/** All files so far, and a read-me. */
function archive(shown: ShownChart, written: Written, { author }: ChartsOptions): Uint8Array {
  const { id } = shown.chart;
  const endings = [...written.keys()];
  const files = [...written].map(([ending, content]) => [`${id}/${id}${ending}`, content] as const);
  const readMe = Buffer.from(formatReadMe(shown, { author, endings }));
  return zipFiles([[`${id}/readme.txt`, readMe], ...files]);
}

async function writeFile(
  staging: Staging,
  { chart, data, state }: ShownChart,
  form: ChartFormat,
  content: Uint8Array,
): Promise<void> {
  const path = chartPath(chart.id, form);
  const rows = form.content.kind === 'rows' ? chart.table(data, state).rows.length : null;
  await staging.write({
    path,
    // Like a schema, it describes data, any web page may read it, and it does not count towards a quota.
    kind: 'schema',
    area: chart.area,
    restricted: false,
    mediaType: mediaTypeOf(path),
    rows,
    as_of: chart.asOf(data) || undefined,
    immutable: false,
    content,
  });
}
