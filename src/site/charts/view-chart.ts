import type { Annotation, OpenChart, Shown } from '../../../pipeline/charts/chart.ts';
import { type ChartState, formatChartState } from '../../../pipeline/charts/chart-state.ts';
import type { ChartTable } from '../../../pipeline/charts/chart-table.ts';
import { shownDays } from '../../../pipeline/charts/day-range.ts';
import { element, escapeText } from '../../../pipeline/charts/drawing/element.ts';
import type { PlotScale } from '../../../pipeline/charts/drawing/plot.ts';
import { formatDays } from '../../../pipeline/words/moment.ts';
import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { EMBED_WIDTH } from './frame-height.ts';

type Cell = NonNullable<ChartTable['rows'][number][number]>;

/** The inner HTML of a chart's `table`. The first cell of each row is its heading. */
export function tableHtml({ columns, rows }: ChartTable): string {
  const looks = columns.map((_, at) => lookOf(rows.flatMap((row) => row[at] ?? [])));
  const head = columns.map(({ name, title, unit }, at) => {
    const words = unit === '' ? '' : ` <span class="column-unit subline">${escapeText(unit)}</span>`;
    const look = looks[at]!.name === 'number' ? ' class="number"' : '';
    return `<th scope="col"${look} data-column="${escapeText(name)}">${escapeText(title)}${words}</th>`;
  });
  const body = newestFirst(rows).map((row) => {
    const cells = row.map((cell, at) => {
      const { name, words } = looks[at]!;
      const look = name === '' ? '' : ` class="${name}"`;
      const text = cell === null ? '' : escapeText(words(cell));
      return at === 0 ? `<th scope="row"${look}>${text}</th>` : `<td${look}>${text}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<thead><tr>${head.join('')}</tr></thead><tbody>${body.join('')}</tbody>`;
}

const DAY = /^\d{4}-\d{2}-\d{2}/;

/** The order of the files. Charts have their rows in the order of their axis; rows of one day stay as they are. */
function newestFirst(rows: ChartTable['rows']): ChartTable['rows'] {
  const isByDay = rows.every(([first]) => typeof first === 'string' && DAY.test(first));
  return isByDay ? rows.toSorted(([a], [b]) => (a === b ? 0 : a! < b! ? 1 : -1)) : rows;
}

const MOST_DECIMALS = 6;
const LONGEST_TIGHT = 24;

/**
 * The class and the words of a column's cells. Numbers stand at the right, with every digit of the file and as many decimals as the one
 * that has most, so that their points stand in a line; short words do not wrap.
 */
function lookOf(cells: readonly Cell[]): { name: 'number' | 'tight' | ''; words: (cell: Cell) => string } {
  if (cells.length > 0 && cells.every((cell) => typeof cell === 'number')) {
    const counts = cells.map((cell) => formatNumber(cell, { max: MOST_DECIMALS }).split('.')[1]?.length ?? 0);
    const decimals = counts.reduce((most, count) => Math.max(most, count), 0);
    return { name: 'number', words: (cell) => formatNumber(Number(cell), decimals) };
  }
  const isTight = cells.every((cell) => String(cell).length <= LONGEST_TIGHT);
  return { name: isTight ? 'tight' : '', words: String };
}

/** The items of the list below a picture, numbered as its marks are. */
function annotationsHtml(annotations: readonly Annotation[]): string {
  return annotations
    .map(({ day, end = day, label }) => `<li>${escapeText(`${formatDays(day, end)}: ${label}`)}</li>`)
    .join('');
}

/**
 * Where a chart is shown: it is drawn at these widths, px, of which the window's selects one, so that little text is scaled. A page lists
 * the annotations itself. A frame has its usual width, without margins.
 */
const PLACES = {
  page: { widths: { wide: 820, narrow: 344 }, withoutList: true },
  embed: { widths: { wide: EMBED_WIDTH - 34, narrow: 344 }, withoutList: false },
} as const;
export type Place = keyof typeof PLACES;

/** The days of a state that names some, `9–15 March 2026`; else empty. */
function daysOfState({ range }: OpenChart, state: ChartState): string {
  if (range === null || (state.from === null && state.to === null)) return '';
  const { from, to } = shownDays(range, state);
  return from > to ? '' : formatDays(from, to);
}

/** What a link to a state is called elsewhere: the finding, or the title, and the days. */
export function sharedTitle(chart: OpenChart, state: ChartState): string {
  const days = daysOfState(chart, state);
  const { finding, title } = chart.show(state);
  return days === '' ? (finding ?? title) : `${finding ?? title} (${days})`;
}

/**
 * Everything that a page shows of a chart in one state. `query` has the canonical parameters of the state, and is empty for the default.
 * `parts` are the HTML of the elements with this `data-part`: `heading` is the finding, with the title below it as `subtitle`, or the
 * title; `picture` has the pictures in the page's colours, each with its scales in `data-scales`. Throws usage if the state names a
 * series that the data does not have.
 */
export function viewChart(chart: OpenChart, state: ChartState, place: Place) {
  const { widths, withoutList } = PLACES[place];
  const shown = chart.show(state);
  const { title, finding, unit, note, summary, annotations, rows } = shown;
  const pictures = Object.entries(widths).map(([name, width]) =>
    picture(shown, { name, width, withoutList }),
  );
  return {
    ...shown,
    query: formatChartState(chart, state),
    parts: {
      heading: escapeText(finding ?? title),
      subtitle: finding === null ? '' : escapeText(title),
      caption: escapeText(title),
      unit: escapeText(unit),
      note: escapeText(note),
      source: escapeText(chart.source),
      picture: pictures.join(''),
      annotations: annotationsHtml(annotations),
      summary: summary.map((sentence) => element('p', {}, escapeText(sentence))).join(''),
      table: tableHtml(shown),
      rows: formatCount(rows.length, 'row'),
    },
  };
}

function picture(
  { draw }: Shown,
  { name, width, withoutList }: { name: string; width: number; withoutList: boolean },
): string {
  const scales: PlotScale[] = [];
  const onScale = (scale: PlotScale) => scales.push(scale);
  const svg = draw({ width, theme: 'page', parts: 'plot', onScale, withoutList });
  // A tenth of a pixel is precise enough; the ends of a scale of shares differ by less.
  const rounded = JSON.stringify(scales, (_, value) =>
    typeof value !== 'number'
      ? value
      : Math.abs(value) < 10
        ? Number(value.toPrecision(6))
        : Math.round(value * 10) / 10,
  );
  return element('div', { class: name, 'data-scales': rounded }, svg);
}
