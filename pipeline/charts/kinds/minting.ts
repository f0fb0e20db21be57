import { mintingByDay } from '../../artifacts/economy/minting-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatSpan } from '../../words/moment.ts';
import { formatCount, formatNumber, formatPercent } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { type Flow, flowColumns, flowOf, flowTable } from '../drawing/columns.ts';
import { daysBetween, HATCHED, inRange, MEAN_OF_STEP, partialWords, stepFor } from '../drawing/days.ts';
import { timePlotHeight } from '../drawing/plot.ts';
import { cathedralColour } from '../drawing/theme.ts';
import { cathedralSeries, chosenSeries } from '../series.ts';

type Row = Content<typeof mintingByDay>[number];

interface Shown extends Flow {
  rows: readonly Row[];
}

/** More columns than this would be too thin to see. */
const MAX_DAYS = 120;

export const minting = defineChart<readonly Row[], Shown>({
  id: 'minting',
  area: 'economy',
  name: 'Minting by cathedral',
  sources: [mintingByDay],
  controls: ['series', 'from', 'to'],
  prepare: (files) => files.read(mintingByDay),
  series: (rows) => cathedralSeries(rows.map(({ cathedral }) => cathedral)),
  asOf: (rows) => rows.at(-1)?.date ?? '',
  show(all, state) {
    const series = chosenSeries(cathedralSeries(all.map(({ cathedral }) => cathedral)), state);
    const inside = inRange(all, state);
    const names = new Set(series.map(({ name }) => name));
    const step = stepFor(daysBetween(inside), MAX_DAYS);
    const amount = ({ cathedral, minted }: Row) => ({ name: cathedral, value: minted });
    return {
      ...flowOf(inside, step, series, amount),
      rows: inside.filter(({ cathedral }) => names.has(cathedral)),
    };
  },
  isEmpty: ({ rows }) => rows.length === 0,
  missing: {
    nothing: 'There is no whole day yet on which MIC were minted.',
    types: ['mic_mint'],
    wholeDays: true,
  },
  title: () => 'MIC minted per day, by cathedral',
  unit: ({ step }) => `MIC per day, ${MEAN_OF_STEP[step]}`,
  note: ({ bins, step }) => partialWords(bins, step, HATCHED),
  summary,
  table: (shown) => flowTable(shown, 'MIC per day'),
  plotHeight: (_, width) => timePlotHeight(width),
  plot: (shown, plot) =>
    flowColumns(
      shown,
      shown.series.map(({ name }) => cathedralColour(plot.theme, name)),
      plot,
    ),
});

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
