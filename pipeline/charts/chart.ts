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
import { type DayRange, shownDays } from './day-range.ts';
import type { Annotation } from './drawing/annotations.ts';
import { type Dated, daysBetween, type Step, stepFor } from './drawing/days.ts';
import { drawFigure, type Picture } from './drawing/figure.ts';
import type { Mark } from './drawing/mark.ts';
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

/** What a reader chose of a chart. */
export interface Choice<Row = Dated, Item = Series> {
  state: ChartState;
  /** In the chart's order; without a choice all. */
  series: readonly Item[];
  /** The rows of the chosen days, oldest first. */
  days: readonly Row[];
  /** How finely they can be drawn. */
  step: Step;
}

/** What a chart shows of a choice: a table, and how it is drawn. Sentences, picture and files follow from it. */
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
  /** What the table does not say, as a sentence before those that follow from it; empty if there is nothing. */
  says?: () => string;
  /** A caveat for readers who see only the picture. */
  note?: () => string;
  /** Explain the picture, oldest first; at most `MOST_ANNOTATIONS`. */
  annotations?: () => readonly Annotation[];
}

interface Kind {
  /** Part of URLs, so it never changes: `supply`. */
  id: string;
  area: Area;
  /** Its name in lists of charts. */
  name: string;
  /** The controls that it has, besides `tab`. */
  controls: readonly ControlName[];
}

/** A kind of chart: what it reads, what a reader can choose, and what it shows of that. */
export interface ChartSpec<Data, Row extends Dated = Dated, Item extends Series = Series> extends Kind {
  /** The public files that it reads. */
  sources: readonly Pick<Artifact, 'path'>[];
  /** What the chart waits for where there is nothing; null for a chart that needs no events. */
  missing: Missing | null;
  /** Throws release_invalid if a file is missing or does not fit its schema. */
  prepare(files: PublishedFiles): Data;
  series?(data: Data): readonly Item[];
  /** The rows by day that `from` and `to` select from, oldest first. A chart with these controls has it. */
  days?(data: Data): readonly Row[];
  /** How many of the last days it shows without a range. Default: all. */
  opensWith?: number;
  /** More days than this are drawn by week, month or year. */
  mostDays?: number;
  /** The time of the last event; by default the last day. Empty without data. */
  asOf?(data: Data): string;
  /** Whether the ledger has brought nothing yet. By default: whether the default state has no rows. */
  isMissing?(data: Data): boolean;
  view(data: Data, choice: Choice<Row, Item>): View;
}

export interface Chart extends Kind {
  /** Paths of public files. */
  sources: readonly string[];
  /** Reads its files; with an organisation, the source line names the publisher and the licence. */
  open(files: PublishedFiles, organisation?: Organisation | null): OpenChart;
}

/** A chart with its data, as pages, files and embeds use it. */
export interface OpenChart extends Omit<Chart, 'open'> {
  series: readonly Series[];
  /** The days to choose from; null for a chart that has no such choice, or no days yet. */
  range: DayRange | null;
  asOf: string;
  /** The source line: files, as-of time and licence. */
  source: string;
  /** What the chart waits for; null if it shows something, or can always show something. */
  missing(): Missing | null;
  /** Throws usage if the state names a series that the data does not have. */
  show(state: ChartState): Shown;
}

/** All that a chart shows in one state. */
export interface Shown extends ChartTable {
  /** What it shows, whatever the data say. */
  title: string;
  /** What the data shown say: the title of pictures and pages, with `title` below it. Null: `title` stands alone. */
  finding: string | null;
  unit: string;
  note: string;
  summary: readonly string[];
  /** The days that explain the picture, numbered from 1 in this order; empty if there are none. */
  annotations: readonly Annotation[];
  /** An SVG document. */
  draw(picture: Picture): string;
  /** That of the drawing, px. */
  height(picture: Picture): number;
}

/** The chart has data, but not in the days or series that the reader chose. */
const NOTHING_CHOSEN = 'There is nothing to show for this choice.';

export function defineChart<Data, Row extends Dated = Dated, Item extends Series = Series>(
  spec: ChartSpec<Data, Row, Item>,
): Chart {
  const { id, area, name, controls } = spec;
  const chart = { id, area, name, controls, sources: spec.sources.map(({ path }) => path) };
  return {
    ...chart,
    open: (files, organisation = null) => ({
      ...chart,
      ...openWith(spec, chart.sources, spec.prepare(files), organisation),
    }),
  };
}

function openWith<Data, Row extends Dated, Item extends Series>(
  spec: ChartSpec<Data, Row, Item>,
  sources: readonly string[],
  data: Data,
  organisation: Organisation | null,
): Omit<OpenChart, keyof Chart> {
  const series = spec.series?.(data) ?? [];
  const days = spec.days?.(data) ?? [];
  const range = rangeOf(days, spec.opensWith);
  const asOf = spec.asOf?.(data) ?? days.at(-1)?.date ?? '';
  const source = sourceLine(sources, asOf, organisation);
  // Pages ask for a state several times, and of fifty years it takes a tenth of a second.
  const viewOf = keepLast((state) => {
    requireSeries(
      spec.id,
      series.map(({ name }) => name),
      state,
    );
    const chosen = range ? within(days, shownDays(range, state)) : [];
    const step = stepFor(daysBetween(chosen), spec.mostDays);
    const named = series.filter(({ name }) => state.series?.includes(name) ?? true);
    const view = spec.view(data, { state, series: named, days: chosen, step });
    // An empty chart has no rows, not rows of empty cells.
    return spec.isMissing?.(data) ? { ...view, rows: [] } : view;
  });
  const missing = () => {
    // A chart of one sentinel shows nothing in its default state, and lacks nothing.
    const isMissing = spec.isMissing?.(data) ?? viewOf(DEFAULT_STATE).rows.length === 0;
    return isMissing ? spec.missing : null;
  };
  const emptyWords = () => {
    const waiting = missing();
    return waiting ? missingSentences(waiting) : [NOTHING_CHOSEN];
  };
  const show = keepLast((state): Shown => {
    const view = viewOf(state);
    const { title, unit, columns, rows } = view;
    const filled = rows.length > 0 ? view : null;
    const mark = filled?.mark() ?? null;
    const said = {
      title,
      unit,
      finding: filled?.finding?.() ?? null,
      note: filled?.note?.() ?? '',
      annotations: filled?.annotations?.() ?? [],
      summary: mark ? sentencesOf(view, mark) : emptyWords(),
    };
    const figure = { ...said, id: spec.id, source, plot: mark && { mark, table: view } };
    return {
      ...said,
      columns,
      rows,
      draw: (picture) => drawFigure(figure, picture).draw(),
      height: (picture) => drawFigure(figure, picture).height,
    };
  });
  return { series, range, asOf, source, missing, show };
}

function sentencesOf(view: View, mark: Mark): string[] {
  const said = view.says?.() ?? '';
  return [...(said === '' ? [] : [said]), ...summaryOf(view, mark)];
}

function keepLast<T>(make: (state: ChartState) => T): (state: ChartState) => T {
  let last: { state: ChartState; made: T } | null = null;
  return (state) => {
    if (last?.state !== state) last = { state, made: make(state) };
    return last.made;
  };
}

function rangeOf(days: readonly Dated[], opensWith = 0): DayRange | null {
  const [first, last] = [days[0], days.at(-1)];
  return first && last ? { first: first.date, last: last.date, opensWith } : null;
}

function within<Row extends Dated>(days: readonly Row[], { from, to }: Record<'from' | 'to', string>): Row[] {
  return days.filter(({ date }) => date >= from && date <= to);
}

/** Throws usage if the state names a series that is not among these names. */
function requireSeries(id: string, names: readonly string[], { series }: ChartState): void {
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
