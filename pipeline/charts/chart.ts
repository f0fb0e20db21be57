import type { Area, Artifact } from '../artifacts/artifact.ts';
import { licenceWords, type Organisation } from '../artifacts/documents/organisation.ts';
import type { PublishedFiles } from '../artifacts/published-files.ts';
import { nearestName } from '../config/nearest-name.ts';
import { CathedralError } from '../errors.ts';
import type { KnownType } from '../ledger/events/event.ts';
import { formatDay } from '../words/moment.ts';
import { formatList } from '../words/phrase.ts';
import { type ChartState, type ControlName, DEFAULT_STATE } from './chart-state.ts';
import type { ChartTable } from './chart-table.ts';
import type { DayRange } from './day-range.ts';
import { type Annotation, listHeight } from './drawing/annotations.ts';
import type { Dated } from './drawing/days.ts';
import { figure, type Picture } from './drawing/figure.ts';
import { drawMark, type Mark, markHeight } from './drawing/mark.ts';
import { summaryOf } from './summary.ts';

export type { Annotation };

/** An item that the parameter `series` selects. */
export interface Series {
  name: string;
  label: string;
}

/** More marks than a reader follows in one picture. */
export const MOST_ANNOTATIONS = 5;

/** What a chart waits for in a young ledger, or in one without such events. */
export interface Missing {
  /** A sentence that says what the ledger does not have yet. */
  nothing: string;
  /** The event types that bring it; empty if it only takes time. */
  types: readonly KnownType[];
  /** Whether the chart shows whole days, so that it begins a day after the first event. */
  wholeDays: boolean;
}

/** The sentences of an empty chart. Only the second one names event types. */
export function missingSentences({ nothing, types, wholeDays }: Missing): string[] {
  return [
    nothing,
    ...(types.length > 0
      ? [
          `The chart is drawn from events of the ${types.length === 1 ? 'type' : 'types'} ${formatList(types)}.`,
        ]
      : []),
    ...(wholeDays ? ['Only whole days are shown: the first one appears when it is over, at 00:00 UTC.'] : []),
  ];
}

/** What a chart shows in one state: a table, and how it is drawn. Sentences, picture and files follow from it. */
interface View extends ChartTable {
  /** Describes what it shows, whatever the data say; citations and files use it. */
  title: string;
  /** States what is measured, in which unit, and how it is aggregated. */
  unit: string;
  /** The following are asked for only if there are rows. */
  mark: () => Mark;
  /**
   * The one thing that the data shown say, as a sentence without a full stop; null where they say nothing worth a title. It is
   * computed from what is shown, and claims no cause that the ledger does not state.
   */
  finding?: () => string | null;
  /** What the table does not say, as sentences before those that follow from it. */
  says?: () => string[];
  /** A caveat for readers who see only the picture. */
  note?: () => string;
  /** Explain the picture, oldest first; at most `MOST_ANNOTATIONS`. */
  annotations?: () => readonly Annotation[];
}

/** A kind of chart: what it reads, what a reader can choose, and what a state shows. */
export interface ChartSpec<Data> {
  /** Part of URLs, so it never changes: `supply`. */
  id: string;
  area: Area;
  /** Its name in lists of charts. */
  name: string;
  /** The public files that it reads. */
  sources: readonly Pick<Artifact, 'path'>[];
  /** The controls that it has, besides `tab`. */
  controls: readonly ControlName[];
  /** What the chart waits for where there is nothing; null for a chart that needs no events. */
  missing: Missing | null;
  /** Throws release_invalid if a file is missing or does not fit its schema. */
  prepare(files: PublishedFiles): Data;
  series?(data: Data): Series[];
  /** The rows by day that `from` and `to` select from, oldest first. A chart with these controls has it. */
  days?(data: Data): readonly Dated[];
  /** Without a range it shows so many of the last days. By default, all. */
  opensWith?: number;
  /** The time of the last event, or the last counted day; empty without data. */
  asOf(data: Data): string;
  /** Whether the ledger has brought nothing yet. By default: whether the default state has no rows. */
  isMissing?(data: Data): boolean;
  view(data: Data, state: ChartState): View;
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
  /** The days to choose from; null for a chart that has no such choice, or no days yet. */
  range(data: unknown): DayRange | null;
  asOf(data: unknown): string;
  /** What the chart waits for; null if it shows something, or can always show something. */
  missing(data: unknown): Missing | null;
  /** What it shows, whatever the data say. */
  title(data: unknown, state: ChartState): string;
  /** What the data shown say: the title of pictures and pages, with `title` below it. Null: `title` stands alone. */
  finding(data: unknown, state: ChartState): string | null;
  /** The days that explain the picture, numbered from 1 in this order; empty if there are none. */
  annotations(data: unknown, state: ChartState): readonly Annotation[];
  unit(data: unknown, state: ChartState): string;
  note(data: unknown, state: ChartState): string;
  /** The source line: files, as-of time and licence. */
  source(data: unknown): string;
  /** The same chart with the publisher and the licence in its source line. */
  creditedTo(organisation: Organisation): Chart;
  summary(data: unknown, state: ChartState): string[];
  table(data: unknown, state: ChartState): ChartTable;
  /** An SVG document. Throws usage if the state names a series that the data does not have. */
  draw(data: unknown, state: ChartState, picture: Picture): string;
}

/** The chart has data, but not in the days or series that the reader chose. */
const NOTHING_CHOSEN = 'There is nothing to show for this choice.';

/** Makes a chart. Each method checks the state, and derives its result from what the state shows. */
export function defineChart<Data>(spec: ChartSpec<Data>, organisation: Organisation | null = null): Chart {
  const { id, area, name, controls } = spec;
  const sources = spec.sources.map(({ path }) => path);
  const series = (data: unknown) => spec.series?.(data as Data) ?? [];
  const source = (data: unknown) => sourceLine(sources, spec.asOf(data as Data), organisation);
  // Title, sentences, table and picture each ask for it, and of fifty years it takes a tenth of a second.
  const known = new WeakMap<object, { state: ChartState; view: View }>();
  const viewOf = (data: unknown, state: ChartState): View => {
    const last = known.get(data as object);
    if (last?.state === state) return last.view;
    requireSeries(id, series(data), state);
    const view = spec.view(data as Data, state);
    // An empty chart has no rows, not rows of empty cells.
    const shown = spec.isMissing?.(data as Data) ? { ...view, rows: [] } : view;
    known.set(data as object, { state, view: shown });
    return shown;
  };
  /** What to say of a state that shows something; null of one that shows nothing. */
  const filled = (data: unknown, state: ChartState) => {
    const view = viewOf(data, state);
    return view.rows.length > 0 ? view : null;
  };
  const missing = (data: unknown) => {
    // A chart of one sentinel shows nothing in its default state, and lacks nothing.
    const isMissing = spec.isMissing?.(data as Data) ?? filled(data, DEFAULT_STATE) === null;
    return isMissing ? spec.missing : null;
  };
  const finding = (data: unknown, state: ChartState) => filled(data, state)?.finding?.() ?? null;
  const note = (data: unknown, state: ChartState) => filled(data, state)?.note?.() ?? '';
  const annotations = (data: unknown, state: ChartState) => filled(data, state)?.annotations?.() ?? [];
  const summary = (data: unknown, state: ChartState) => {
    const view = filled(data, state);
    if (view) return [...(view.says?.() ?? []), ...summaryOf(view, view.mark())];
    const waiting = missing(data);
    return waiting ? missingSentences(waiting) : [NOTHING_CHOSEN];
  };
  return {
    id,
    area,
    name,
    sources,
    controls,
    series,
    range(data) {
      const rows = spec.days?.(data as Data) ?? [];
      const [first, last] = [rows[0], rows.at(-1)];
      return first && last ? { first: first.date, last: last.date, opensWith: spec.opensWith ?? 0 } : null;
    },
    source,
    creditedTo: (organisation) => defineChart(spec, organisation),
    missing,
    summary,
    prepare: (files) => spec.prepare(files),
    asOf: (data) => spec.asOf(data as Data),
    title: (data, state) => viewOf(data, state).title,
    unit: (data, state) => viewOf(data, state).unit,
    finding,
    annotations,
    note,
    table(data, state) {
      const { columns, rows } = viewOf(data, state);
      return { columns, rows };
    },
    draw(data, state, picture) {
      const { title, unit } = viewOf(data, state);
      const words = {
        id,
        title,
        unit,
        finding: finding(data, state),
        notes: [note(data, state), source(data)].filter((line) => line !== ''),
        summary: summary(data, state).join(' '),
      };
      const view = filled(data, state);
      if (!view) return figure(words, picture, null);
      const marked = { mark: view.mark(), table: view, annotations: annotations(data, state) };
      const list = (width: number) => (picture.withoutList ? listHeight(marked.annotations, width) : 0);
      return figure(words, picture, {
        height: (width) => markHeight(marked, width) - list(width),
        draw: (plot) => drawMark(marked, plot),
      });
    },
  };
}

function requireSeries(id: string, offered: Series[], { series }: ChartState): void {
  const names = offered.map(({ name }) => name);
  const unknown = series?.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, names);
  const some = `${near ? `${near}, or another` : 'one'} of ${names.join(', ')}`;
  const expected = names.length === 0 ? 'no series' : some;
  throw new CathedralError('usage', { place: `chart ${id}, series`, expected, found: unknown });
}

/** Names the day and not the hour: a picture stays as it is until its data or the day changes. Its chart document has the time. */
function sourceLine(sources: readonly string[], asOf: string, organisation: Organisation | null): string {
  const time = asOf.length === 10 ? 'Whole days up to' : 'As of';
  return [
    `Source: ${organisation ? `${organisation.name}, ` : ''}${formatList(sources)}.`,
    ...(asOf === '' ? [] : [`${time} ${formatDay(asOf)}.`]),
    ...(organisation ? [`${licenceWords(organisation)}.`] : []),
  ].join(' ');
}
