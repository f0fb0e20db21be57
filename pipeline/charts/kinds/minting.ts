import { miiByDay } from '../../artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../artifacts/economy/minting-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatSpan } from '../../words/moment.ts';
import { formatCount, formatNumber, formatPercent } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type Annotation, defineChart, MOST_ANNOTATIONS } from '../chart.ts';
import { roomFor } from '../drawing/annotations.ts';
import { type Flow, flowColumns, flowOf, flowTable } from '../drawing/columns.ts';
import { daysBetween, HATCHED, inRange, MEAN_OF_STEP, partialWords, stepFor } from '../drawing/days.ts';
import { timePlotHeight } from '../drawing/plot.ts';
import { cathedralColour } from '../drawing/theme.ts';
import { cathedralSeries, chosenSeries } from '../series.ts';
import { offRuns } from './minting-off.ts';

type Row = Content<typeof mintingByDay>[number];

interface Shown extends Flow {
  rows: readonly Row[];
  annotations: readonly Annotation[];
}

/** More columns than this would be too thin to see. */
const MAX_DAYS = 120;

interface Data {
  all: readonly Row[];
  readings: Content<typeof miiByDay>;
}

export const minting = defineChart<Data, Shown>({
  id: 'minting',
  area: 'economy',
  name: 'Minting by cathedral',
  sources: [mintingByDay, miiByDay],
  controls: ['series', 'from', 'to'],
  prepare: (files) => ({ all: files.read(mintingByDay), readings: files.read(miiByDay) }),
  series: ({ all }) => cathedralSeries(all.map(({ cathedral }) => cathedral)),
  days: ({ all }) => all,
  asOf: ({ all }) => all.at(-1)?.date ?? '',
  show({ all, readings }, state) {
    const series = chosenSeries(cathedralSeries(all.map(({ cathedral }) => cathedral)), state);
    const inside = inRange(all, state);
    const names = new Set(series.map(({ name }) => name));
    const step = stepFor(daysBetween(inside), MAX_DAYS);
    const amount = ({ cathedral, minted }: Row) => ({ name: cathedral, value: minted });
    return {
      ...flowOf(inside, step, series, amount),
      rows: inside.filter(({ cathedral }) => names.has(cathedral)),
      annotations: annotationsOf(readings, inside),
    };
  },
  isEmpty: ({ rows }) => rows.length === 0,
  missing: {
    nothing: 'There is no whole day yet on which MIC were minted.',
    types: ['mic_mint'],
    wholeDays: true,
  },
  title: () => 'MIC minted per day, by cathedral',
  finding,
  annotations: ({ annotations }) => annotations,
  unit: ({ step }) => `MIC per day, ${MEAN_OF_STEP[step]}`,
  note: ({ bins, step }) => partialWords(bins, step, HATCHED),
  summary,
  table: (shown) => flowTable(shown, 'MIC per day'),
  plotHeight: ({ annotations }, width) => timePlotHeight(width) + roomFor(annotations, width),
  plot: (shown, plot) =>
    flowColumns(
      shown,
      {
        colours: shown.series.map(({ name }) => cathedralColour(plot.theme, name)),
        unit: 'MIC per day',
        annotations: shown.annotations,
      },
      plot,
    ),
});

/** A single day without minting hardly shows in a week. */
const LEAST_OFF = 2;

/** The longest times with minting off, in the days shown. */
function annotationsOf(readings: Data['readings'], rows: readonly Row[]): Annotation[] {
  const [from, to] = [rows[0]?.date ?? '', rows.at(-1)?.date ?? ''];
  return offRuns(readings.filter(({ date }) => date >= from && date <= to))
    .filter(({ days }) => days >= LEAST_OFF)
    .slice(0, MOST_ANNOTATIONS)
    .map(({ from, to, days }) => ({
      day: from,
      end: to,
      label: `Minting off for ${days} days`,
    }))
    .sort((a, b) => (a.day < b.day ? -1 : 1));
}

/** The least lead of the first over the second that is worth saying, share of all. */
const LEAST_LEAD = 0.02;

/** Which cathedral's sentinels got most of what was minted, if their lead is clear. */
function finding({ rows, series }: Shown): string | null {
  const minted = rows.reduce((sum, row) => sum + row.minted, 0);
  if (minted <= 0) return null;
  const shares = series
    .map(({ name, label }) => ({
      label,
      share: rows.reduce((sum, row) => sum + (row.cathedral === name ? row.minted : 0), 0) / minted,
    }))
    .sort((a, b) => b.share - a.share);
  const [first, second] = shares;
  if (!first || !second || first.share - second.share < LEAST_LEAD) return null;
  const of = daysBetween(rows) === 1 ? 'the MIC minted on the day' : 'the MIC minted';
  return `Sentinels of ${first.label} got ${formatPercent(first.share, 0)} of ${of}, ${second.label} ${formatPercent(second.share, 0)}`;
}

function summary({ rows, series }: Shown): string[] {
  const minted = rows.reduce((sum, row) => sum + row.minted, 0);
  const mints = rows.reduce((sum, row) => sum + row.mints, 0);
  const days = daysBetween(rows);
  const shares = series.map(({ name, label }) => {
    const its = rows.reduce((sum, row) => sum + (row.cathedral === name ? row.minted : 0), 0);
    return { label, share: minted === 0 ? 0 : its / minted };
  });
  const sorted = shares.toSorted((a, b) => b.share - a.share);
  return [
    `${formatSpan(rows[0]!.date, rows.at(-1)!.date)}, ${formatNumber(minted)} MIC were minted in ${formatCount(mints, 'mint')}${days === 1 ? '' : `: ${formatNumber(minted / days)} MIC per day`}.`,
    `By cathedral: ${formatList(sorted.map(({ label, share }) => `${label} ${formatPercent(share)}`))}.`,
  ];
}
