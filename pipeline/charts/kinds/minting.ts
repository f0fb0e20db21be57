import { miiByDay } from '../../artifacts/economy/mii-by-day.ts';
import { mintingByDay } from '../../artifacts/economy/minting-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatPercent } from '../../words/number.ts';
import { defineChart, MOST_ANNOTATIONS } from '../chart.ts';
import { type Dated, daysBetween, MEAN_OF_STEP } from '../drawing/days.ts';
import { cathedralColour } from '../drawing/theme.ts';
import { cathedralSeries } from '../series.ts';
import { flowOf, flowTitle } from './flows.ts';
import { offRuns } from './mii.ts';

type Row = Pick<Content<typeof mintingByDay>[number], 'date' | 'cathedral' | 'minted'>;

/** A single day without minting hardly shows in a week. */
const LEAST_OFF = 2;
/** The least lead of the first over the second that is worth saying, share of all. */
const LEAST_LEAD = 0.02;

export const minting = defineChart({
  id: 'minting',
  area: 'economy',
  name: 'Minting by cathedral',
  sources: [mintingByDay, miiByDay],
  controls: ['series', 'from', 'to'],
  missing: {
    nothing: 'There is no whole day yet on which MIC were minted.',
    types: ['mic_mint'],
    wholeDays: true,
  },
  prepare: (files) => ({ all: files.read(mintingByDay), readings: files.read(miiByDay) }),
  series: ({ all }) => cathedralSeries(all.map(({ cathedral }) => cathedral)),
  days: ({ all, readings }) => withIdleDays(all, readings),
  // More columns would be too thin to see.
  mostDays: 120,
  view({ readings }, { series, days, step }) {
    const amount = ({ cathedral, minted }: Row) => ({ name: cathedral, value: minted });
    const flow = flowOf({ days, step, series, amount, unit: 'MIC per day' });
    const isAny = days.some(({ cathedral }) => series.some(({ name }) => name === cathedral));
    return {
      title: flowTitle('MIC minted per day', 'cathedral', series),
      unit: `MIC per day, ${MEAN_OF_STEP[step]}`,
      columns: flow.columns,
      rows: isAny ? flow.rows : [],
      note: () => flow.note,
      /** Which cathedral's sentinels got most of what was minted, if their lead is clear. */
      finding() {
        const minted = flow.totals.reduce((sum, total) => sum + total, 0);
        const [first, second] = series
          .map(({ label }, index) => ({ label, share: flow.totals[index]! / minted }))
          .sort((a, b) => b.share - a.share);
        if (minted <= 0 || !first || !second || first.share - second.share < LEAST_LEAD) return null;
        const of = daysBetween(days) === 1 ? 'the MIC minted on the day' : 'the MIC minted';
        return `Sentinels of ${first.label} got ${formatPercent(first.share, 0)} of ${of}, ${second.label} ${formatPercent(second.share, 0)}`;
      },
      /** The longest times with minting off, in the days shown. */
      annotations: () =>
        offRuns(readings.filter(({ date }) => date >= days[0]!.date && date <= days.at(-1)!.date))
          .filter(({ days }) => days >= LEAST_OFF)
          .slice(0, MOST_ANNOTATIONS)
          .map(({ from, to, days }) => ({ day: from, end: to, label: `Minting off for ${days} days` }))
          .sort((a, b) => (a.day < b.day ? -1 : 1)),
      mark: () =>
        flow.mark(
          series.map(({ name }) => cathedralColour(name)),
          'MIC per day',
        ),
    };
  },
});

/** With the days since the first mint that have a reading and no mint, and so no row: they count as 0, also at both ends of what is shown. */
function withIdleDays(mints: readonly Row[], readings: readonly Dated[]): Row[] {
  const [first] = mints;
  const active = new Set(mints.map(({ date }) => date));
  const idle = readings.filter(({ date }) => first && date > first.date && !active.has(date));
  const rows = [...mints, ...idle.map(({ date }) => ({ date, cathedral: '', minted: 0 }))];
  return rows.sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}
