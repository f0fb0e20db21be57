import { sentinelRoi } from '../../artifacts/economy/sentinel-roi.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import { formatCathedral } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { type SentinelValue, sentinelBars, sentinelBarsHeight } from '../drawing/bar-rows.ts';
import { labelNumber } from '../drawing/label.ts';
import { chosenSeries } from '../series.ts';
import { leadFinding } from './roi-by-cathedral.ts';

type Sentinel = Content<typeof sentinelRoi>['sentinels'][number];

interface Data {
  sentinels: Sentinel[];
  asOf: string;
}

const seriesOf = ({ sentinels }: Data) => sentinels.map(({ id }) => ({ name: id, label: id }));

export const roiBySentinel = defineChart<Data, Sentinel[]>({
  id: 'roi-by-sentinel',
  area: 'economy',
  name: 'Return by sentinel',
  sources: [sentinelRoi],
  controls: ['series'],
  prepare(files) {
    const { timestamp: asOf, sentinels } = files.read(sentinelRoi);
    return { sentinels, asOf };
  },
  series: seriesOf,
  asOf: ({ asOf }) => asOf,
  show(data, state) {
    const names = new Set(chosenSeries(seriesOf(data), state).map(({ name }) => name));
    return data.sentinels.filter(({ id }) => names.has(id)).sort((a, b) => (b.roi ?? -1) - (a.roi ?? -1));
  },
  isEmpty: (sentinels) => sentinels.length === 0,
  isMissing: ({ sentinels }) => sentinels.every(({ roi }) => roi === null),
  missing: {
    nothing: 'No MIC have been minted yet, so there is no return.',
    types: ['sentinel_registered', 'mic_mint'],
    wholeDays: false,
  },
  title: () => 'Return on a mint, by sentinel',
  finding: (sentinels) => leadFinding(sentinels.map(({ id, roi }) => ({ label: id, roi }))),
  unit: () => 'ROI: mean reward of a mint ÷ 1,000 MIC, the highest base reward',
  summary(sentinels) {
    const minting = sentinels.filter(({ roi }) => roi !== null);
    const [first, last] = [minting[0], minting.at(-1)];
    if (!first || !last) return ['None of the sentinels shown has minted yet.'];
    const rewards = sentinels.reduce((sum, { total_rewards }) => sum + total_rewards, 0);
    return [
      `A mint for ${first.id} (${formatCathedral(first.cathedral)}) returned ${formatNumber(first.roi!, 2)} on average${first === last ? '' : ', the most'}.`,
      ...(first === last ? [] : [`${last.id} had the least, ${formatNumber(last.roi!, 2)}.`]),
      ...(minting.length < sentinels.length
        ? [
            `${formatCount(sentinels.length - minting.length, 'sentinel has', 'sentinels have')} not minted yet.`,
          ]
        : []),
      `The sentinels shown have earned ${formatNumber(rewards)} MIC in all.`,
    ];
  },
  table: (sentinels) => ({
    columns: [
      { name: 'sentinel', title: 'Sentinel', unit: '' },
      { name: 'cathedral', title: 'Cathedral', unit: '' },
      { name: 'roi', title: 'ROI', unit: 'ratio' },
      { name: 'total_rewards', title: 'All rewards', unit: 'MIC' },
      { name: 'multiplier', title: 'Present multiplier', unit: 'factor' },
    ],
    rows: sentinels.map(({ id, cathedral, roi, total_rewards, multiplier }) => [
      id,
      cathedral,
      roi,
      total_rewards,
      multiplier,
    ]),
  }),
  plotHeight: (sentinels, width) => sentinelBarsHeight(valuesOf(sentinels), [], width),
  plot: (sentinels, plot) => sentinelBars(valuesOf(sentinels), [], plot),
});

function valuesOf(sentinels: Sentinel[]): SentinelValue[] {
  return sentinels.map(({ id, cathedral, roi, total_rewards }) => ({
    id,
    cathedral,
    value: roi ?? 0,
    text: roi === null ? 'no mint yet' : labelNumber(roi, 2),
    detail: `${labelNumber(total_rewards)} MIC in all`,
  }));
}
