import { roi } from '../../artifacts/economy/roi.ts';
import { formatNumber } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { type BarChart, barRows, barRowsHeight } from '../drawing/bar-rows.ts';
import { labelNumber } from '../drawing/label.ts';
import { type ChartTheme, cathedralColour, THEMES } from '../drawing/theme.ts';
import { cathedralSeries, chosenSeries } from '../series.ts';

interface Cathedral {
  name: string;
  label: string;
  multiplier: number;
  total_rewards: number;
  sentinel_count: number;
  /** Null if none of its sentinels has minted. */
  average_roi: number | null;
}

export const roiByCathedral = defineChart<{ cathedrals: Cathedral[]; asOf: string }, readonly Cathedral[]>({
  id: 'roi-by-cathedral',
  area: 'economy',
  name: 'Return by cathedral',
  sources: [roi],
  controls: ['series'],
  prepare(files) {
    const { timestamp: asOf, by_cathedral } = files.read(roi);
    const series = cathedralSeries(Object.keys(by_cathedral));
    return { cathedrals: series.map((one) => ({ ...one, ...by_cathedral[one.name]! })), asOf };
  },
  series: ({ cathedrals }) => cathedrals.map(({ name, label }) => ({ name, label })),
  asOf: ({ asOf }) => asOf,
  show: ({ cathedrals }, state) => chosenSeries(cathedrals, state),
  isEmpty: (cathedrals) => cathedrals.length === 0,
  isMissing: ({ cathedrals }) => cathedrals.every(({ average_roi }) => average_roi === null),
  missing: {
    nothing: 'No MIC have been minted yet, so there is no return.',
    types: ['sentinel_registered', 'mic_mint'],
    wholeDays: false,
  },
  title: () => 'Return on a mint, by cathedral',
  finding: (cathedrals) =>
    leadFinding(cathedrals.map(({ label, average_roi }) => ({ label, roi: average_roi }))),
  unit: () => 'ROI: mean of its sentinels’ mean reward per mint ÷ 1,000 MIC, the highest base reward',
  summary(cathedrals) {
    const sorted = cathedrals.toSorted((a, b) => (b.average_roi ?? -1) - (a.average_roi ?? -1));
    const rewards = cathedrals.reduce((sum, { total_rewards }) => sum + total_rewards, 0);
    return [
      `Average return by cathedral: ${formatList(sorted.map(({ label, average_roi }) => `${label} ${roiWords(average_roi)}`))}.`,
      `Their sentinels have earned ${formatNumber(rewards)} MIC in all.`,
    ];
  },
  table: (cathedrals) => ({
    columns: [
      { name: 'cathedral', title: 'Cathedral', unit: '' },
      { name: 'average_roi', title: 'Average ROI', unit: 'ratio' },
      { name: 'multiplier', title: 'Present multiplier', unit: 'factor' },
      { name: 'sentinel_count', title: 'Active sentinels', unit: 'count' },
      { name: 'total_rewards', title: 'All rewards', unit: 'MIC' },
    ],
    rows: cathedrals.map(({ name, average_roi, multiplier, sentinel_count, total_rewards }) => [
      name,
      average_roi,
      multiplier,
      sentinel_count,
      total_rewards,
    ]),
  }),
  plotHeight: (cathedrals, width) => barRowsHeight(barsOf(cathedrals, THEMES.light), width),
  plot: (cathedrals, plot) => barRows(barsOf(cathedrals, plot.theme), plot),
});

/** A lead below a tenth of the second’s return is no news. */
const LEAST_LEAD = 1.1;

/** Whose mints returned most, in the second decimal that the chart shows; null without a clear first. */
export function leadFinding(list: readonly { label: string; roi: number | null }[]): string | null {
  const [first, second] = list
    .flatMap(({ label, roi }) => (roi === null ? [] : [{ label, roi }]))
    .sort((a, b) => b.roi - a.roi);
  if (!first || !second || first.roi <= 0 || first.roi < second.roi * LEAST_LEAD) return null;
  return `A mint for ${first.label} returned most on average, ${labelNumber(first.roi, 2)}; ${second.label} followed with ${labelNumber(second.roi, 2)}`;
}

function roiWords(roi: number | null): string {
  return roi === null ? 'no mint yet' : labelNumber(roi, 2);
}

function barsOf(cathedrals: readonly Cathedral[], theme: ChartTheme): BarChart {
  const rows = cathedrals.map(({ name, label, average_roi, multiplier, sentinel_count }) => ({
    label,
    value: average_roi ?? 0,
    colour: cathedralColour(theme, name),
    text: roiWords(average_roi),
    detail: `multiplier ${formatNumber(multiplier, 2)}, ${labelNumber(sentinel_count)} active`,
  }));
  return { rows, key: [], rules: [] };
}
