import type { Area, Artifact } from '../artifacts/artifact.ts';
import { type Cell, csvRow, inertCell } from '../artifacts/format/csv.ts';
import type { PublishedFiles } from '../artifacts/published-files.ts';
import { CathedralError } from '../errors.ts';
import { formatDay, formatMoment } from '../words/moment.ts';
import { formatList } from '../words/phrase.ts';
import type { ChartState, ControlName } from './chart-state.ts';
import { figure, type Picture } from './drawing/figure.ts';
import type { Plot } from './drawing/plot.ts';

/** What can be chosen of a chart by the parameter `series`. */
export interface Series {
  name: string;
  label: string;
}

export interface ChartColumn {
  name: string;
  title: string;
  unit: string;
}

/** What a chart shows, as a table: its CSV and the table in its page. Null is an empty cell. */
export interface ChartTable {
  columns: readonly ChartColumn[];
  rows: readonly (readonly (Cell | null)[])[];
}

/** `Shown` is what a state picks from the data: title, table, sentences and picture are all made of it. */
export interface ChartSpec<Data, Shown> {
  /** In URLs, and never changed: `supply`. */
  id: string;
  area: Area;
  /** In a list of charts. */
  name: string;
  /** The published files it is made of, public ones. */
  sources: readonly Pick<Artifact, 'path'>[];
  /** What a reader can set; `tab` always. */
  controls: readonly ControlName[];
  /** Throws release_invalid where a file is missing or does not fit its schema. */
  prepare(files: PublishedFiles): Data;
  series?(data: Data): Series[];
  /** The time of the last event, or the last day that is counted; empty where there is no data. */
  asOf(data: Data): string;
  show(data: Data, state: ChartState): Shown;
  isEmpty(shown: Shown): boolean;
  /** What it shows, in words. */
  title(shown: Shown): string;
  /** What is measured, in which unit, and how it was added up. */
  unit(shown: Shown): string;
  /** What a reader must know who sees only the picture. */
  note?(shown: Shown): string;
  /** Computed from what is shown: the text alternative. */
  summary(shown: Shown): string[];
  table(shown: Shown): ChartTable;
  /** Pixels that the plot has by itself, at a width; never drawn lower. */
  plotHeight(shown: Shown, width: number): number;
  plot(shown: Shown, plot: Plot): string[];
}

/** A chart as pages, files and embeds use it. `data` is what its own `prepare` gave. */
export interface Chart {
  id: string;
  area: Area;
  name: string;
  /** Paths of public files. */
  sources: readonly string[];
  controls: readonly ControlName[];
  prepare(files: PublishedFiles): unknown;
  series(data: unknown): Series[];
  asOf(data: unknown): string;
  isEmpty(data: unknown, state: ChartState): boolean;
  title(data: unknown, state: ChartState): string;
  unit(data: unknown, state: ChartState): string;
  note(data: unknown, state: ChartState): string;
  /** Where the numbers are from and as of when. */
  source(data: unknown): string;
  summary(data: unknown, state: ChartState): string[];
  table(data: unknown, state: ChartState): ChartTable;
  /** An SVG document. Throws usage where the state names a series that the data does not have. */
  draw(data: unknown, state: ChartState, picture: Picture): string;
}

const NOTHING = 'There is nothing to show yet.';
const EMPTY_HEIGHT = 160;

/** A chart from its parts: the state is checked and applied once, and everything is made of what it shows. */
export function defineChart<Data, Shown>(spec: ChartSpec<Data, Shown>): Chart {
  const { id, area, name, controls } = spec;
  const sources = spec.sources.map(({ path }) => path);
  const series = (data: unknown) => spec.series?.(data as Data) ?? [];
  const source = (data: unknown) => sourceLine(sources, spec.asOf(data as Data));
  const show = (data: unknown, state: ChartState) => {
    requireSeries(id, series(data), state);
    return spec.show(data as Data, state);
  };
  return {
    id,
    area,
    name,
    sources,
    controls,
    series,
    source,
    prepare: (files) => spec.prepare(files),
    asOf: (data) => spec.asOf(data as Data),
    isEmpty: (data, state) => spec.isEmpty(show(data, state)),
    title: (data, state) => spec.title(show(data, state)),
    unit: (data, state) => spec.unit(show(data, state)),
    note: (data, state) => noteOf(spec, show(data, state)),
    summary: (data, state) => summaryOf(spec, show(data, state)),
    table: (data, state) => tableOf(spec, show(data, state)),
    draw: (data, state, picture) => pictureOf(spec, show(data, state), source(data), picture),
  };
}

function noteOf<Data, Shown>(spec: ChartSpec<Data, Shown>, shown: Shown): string {
  return spec.isEmpty(shown) ? '' : (spec.note?.(shown) ?? '');
}

/** Where there is nothing to show, no rows of empty cells either. */
function tableOf<Data, Shown>(spec: ChartSpec<Data, Shown>, shown: Shown): ChartTable {
  const table = spec.table(shown);
  return spec.isEmpty(shown) ? { ...table, rows: [] } : table;
}

function summaryOf<Data, Shown>(spec: ChartSpec<Data, Shown>, shown: Shown): string[] {
  return spec.isEmpty(shown) ? [NOTHING] : spec.summary(shown);
}

function pictureOf<Data, Shown>(
  spec: ChartSpec<Data, Shown>,
  shown: Shown,
  source: string,
  picture: Picture,
): string {
  const words = {
    id: spec.id,
    title: spec.title(shown),
    unit: spec.unit(shown),
    notes: [noteOf(spec, shown), source].filter((line) => line !== ''),
    summary: summaryOf(spec, shown).join(' '),
  };
  if (spec.isEmpty(shown)) return figure(words, picture, () => EMPTY_HEIGHT, null);
  return figure(
    words,
    picture,
    (width) => spec.plotHeight(shown, width),
    (plot) => spec.plot(shown, plot),
  );
}

function requireSeries(id: string, offered: Series[], { series }: ChartState): void {
  const names = offered.map(({ name }) => name);
  const unknown = series?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const expected = names.length === 0 ? 'no series' : `one of ${names.join(', ')}`;
  throw new CathedralError('usage', { place: `chart ${id}, series`, expected, found: unknown });
}

function sourceLine(sources: readonly string[], asOf: string): string {
  const files = `Source: Cathedral Data Service, ${formatList(sources)}.`;
  if (asOf === '') return `${files} CC BY 4.0.`;
  const time = asOf.length === 10 ? `Whole days up to ${formatDay(asOf)}` : `As of ${formatMoment(asOf)}`;
  return `${files} ${time}. CC BY 4.0.`;
}

/**
 * What a chart shows, as CSV after RFC 4180 with the columns' names as its header. Its texts are of the ledger: what a
 * spreadsheet would run as a formula has an apostrophe before it.
 */
export function chartCsv({ columns, rows }: ChartTable): string {
  const header = csvRow(columns.map(({ name }) => inertCell(name)));
  return header + rows.map((row) => csvRow(row.map((cell) => inertCell(cell ?? '')))).join('');
}
