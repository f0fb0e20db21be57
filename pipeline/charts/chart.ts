import type { Area, Artifact } from '../artifacts/artifact.ts';
import { type Cell, csvRow, inertCell } from '../artifacts/format/csv.ts';
import type { PublishedFiles } from '../artifacts/published-files.ts';
import { CathedralError } from '../errors.ts';
import { formatDay, formatMoment } from '../words/moment.ts';
import { formatList } from '../words/phrase.ts';
import type { ChartState, ControlName } from './chart-state.ts';
import { figure, type Picture } from './drawing/figure.ts';
import type { Plot } from './drawing/plot.ts';

/** An item that the parameter `series` selects. */
export interface Series {
  name: string;
  label: string;
}

export interface ChartColumn {
  name: string;
  title: string;
  unit: string;
}

/** The data that a chart shows, for its CSV and the table in its page. Null is an empty cell. */
export interface ChartTable {
  columns: readonly ChartColumn[];
  rows: readonly (readonly (Cell | null)[])[];
}

/** `Shown` is the part of the data that a state selects. Title, table, sentences and picture are derived from it. */
export interface ChartSpec<Data, Shown> {
  /** Part of URLs, so it never changes: `supply`. */
  id: string;
  area: Area;
  /** Its name in lists of charts. */
  name: string;
  /** The public files that it reads. */
  sources: readonly Pick<Artifact, 'path'>[];
  /** The controls that it has, besides `tab`. */
  controls: readonly ControlName[];
  /** Throws release_invalid if a file is missing or does not fit its schema. */
  prepare(files: PublishedFiles): Data;
  series?(data: Data): Series[];
  /** The time of the last event, or the last counted day; empty without data. */
  asOf(data: Data): string;
  show(data: Data, state: ChartState): Shown;
  isEmpty(shown: Shown): boolean;
  /** States what it shows. */
  title(shown: Shown): string;
  /** States what is measured, in which unit, and how it is aggregated. */
  unit(shown: Shown): string;
  /** A caveat for readers who see only the picture. */
  note?(shown: Shown): string;
  /** The text alternative: sentences computed from what is shown. */
  summary(shown: Shown): string[];
  table(shown: Shown): ChartTable;
  /** The least height of the plot at a width, px. */
  plotHeight(shown: Shown, width: number): number;
  plot(shown: Shown, plot: Plot): string[];
}

/** A chart as pages, files and embeds use it. `data` is the result of its `prepare`. */
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
  /** The source line: files, as-of time and licence. */
  source(data: unknown): string;
  summary(data: unknown, state: ChartState): string[];
  table(data: unknown, state: ChartState): ChartTable;
  /** An SVG document. Throws usage if the state names a series that the data does not have. */
  draw(data: unknown, state: ChartState, picture: Picture): string;
}

const NOTHING = 'There is nothing to show yet.';
const EMPTY_HEIGHT = 160;

/** Makes a chart. Each method checks the state, and derives its result from what the state selects. */
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

/** An empty chart has no rows, not rows of empty cells. */
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
 * The table as CSV (RFC 4180) with the columns' names as its header. Texts come from the ledger, so an apostrophe precedes
 * those that a spreadsheet would run as a formula.
 */
export function chartCsv({ columns, rows }: ChartTable): string {
  const header = csvRow(columns.map(({ name }) => inertCell(name)));
  return header + rows.map((row) => csvRow(row.map((cell) => inertCell(cell ?? '')))).join('');
}
