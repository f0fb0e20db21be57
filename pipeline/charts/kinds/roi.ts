import { roi } from '../../artifacts/economy/roi.ts';
import { sentinelRoi } from '../../artifacts/economy/sentinel-roi.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatNumber } from '../../words/number.ts';
import { defineChart } from '../chart.ts';
import { tableOf } from '../chart-table.ts';
import { labelNumber } from '../drawing/label.ts';
import { cathedralColour } from '../drawing/theme.ts';
import { cathedralKey, cathedralSeries } from '../series.ts';

const MISSING = {
  nothing: 'No MIC have been minted yet, so there is no return.',
  types: ['sentinel_registered', 'mic_mint'],
  wholeDays: false,
} as const;

/** A lead below a tenth of the second’s return is no news. */
const LEAST_LEAD = 1.1;

/** Whose mints returned most, in the second decimal that the chart shows; null without a clear first. */
function leadOf(list: readonly { label: string; roi: number | null }[]): string | null {
  const [first, second] = list
    .flatMap(({ label, roi }) => (roi === null ? [] : [{ label, roi }]))
    .sort((a, b) => b.roi - a.roi);
  if (!first || !second || first.roi <= 0 || first.roi < second.roi * LEAST_LEAD) return null;
  return `A mint for ${first.label} returned most on average, ${labelNumber(first.roi, 2)}; ${second.label} followed with ${labelNumber(second.roi, 2)}`;
}

const roiWords = (roi: number | null) => (roi === null ? 'no mint yet' : labelNumber(roi, 2));

const cathedralsIn = ({ by_cathedral }: Content<typeof roi>) =>
  cathedralSeries(Object.keys(by_cathedral)).map((one) => ({ ...one, ...by_cathedral[one.name]! }));

export const roiByCathedral = defineChart({
  id: 'roi-by-cathedral',
  area: 'economy',
  name: 'Return by cathedral',
  sources: [roi],
  controls: ['series'],
  missing: MISSING,
  prepare: (files) => files.read(roi),
  series: cathedralsIn,
  asOf: ({ timestamp }) => timestamp,
  isMissing: (data) => cathedralsIn(data).every(({ average_roi }) => average_roi === null),
  view(_, { series: cathedrals }) {
    return {
      title: 'Return on a mint, by cathedral',
      unit: 'ROI: mean of its sentinels’ mean reward per mint ÷ 1,000 MIC, the highest base reward',
      ...tableOf(cathedrals, [
        ['cathedral', 'Cathedral', '', ({ name }) => name],
        ['average_roi', 'Average ROI', 'ratio'],
        ['multiplier', 'Present multiplier', 'factor'],
        ['sentinel_count', 'Active sentinels', 'count'],
        ['total_rewards', 'All rewards', 'MIC'],
      ]),
      finding: () => leadOf(cathedrals.map(({ label, average_roi }) => ({ label, roi: average_roi }))),
      mark: () => ({
        kind: 'bars',
        rows: cathedrals.map(({ name, label, average_roi, multiplier, sentinel_count }) => ({
          label,
          value: average_roi ?? 0,
          colour: cathedralColour(name),
          text: roiWords(average_roi),
          detail: `multiplier ${formatNumber(multiplier, 2)}, ${labelNumber(sentinel_count)} active`,
        })),
      }),
    };
  },
});

export const roiBySentinel = defineChart({
  id: 'roi-by-sentinel',
  area: 'economy',
  name: 'Return by sentinel',
  sources: [sentinelRoi],
  controls: ['series'],
  missing: MISSING,
  prepare: (files) => files.read(sentinelRoi),
  series: ({ sentinels }) => sentinels.map((one) => ({ ...one, name: one.id, label: one.id })),
  asOf: ({ timestamp }) => timestamp,
  isMissing: ({ sentinels }) => sentinels.every(({ roi }) => roi === null),
  view(_, { series }) {
    const sentinels = series.toSorted((a, b) => (b.roi ?? -1) - (a.roi ?? -1));
    return {
      title: 'Return on a mint, by sentinel',
      unit: 'ROI: mean reward of a mint ÷ 1,000 MIC, the highest base reward',
      ...tableOf(sentinels, [
        ['sentinel', 'Sentinel', '', ({ id }) => id],
        ['cathedral', 'Cathedral'],
        ['roi', 'ROI', 'ratio'],
        ['total_rewards', 'All rewards', 'MIC'],
        ['multiplier', 'Present multiplier', 'factor'],
      ]),
      finding: () => leadOf(sentinels),
      mark: () => ({
        kind: 'bars',
        key: cathedralKey(sentinels),
        rows: sentinels.map(({ id, cathedral, roi, total_rewards }) => ({
          label: id,
          value: roi ?? 0,
          colour: cathedralColour(cathedral),
          text: roiWords(roi),
          detail: `${labelNumber(total_rewards)} MIC in all`,
        })),
      }),
    };
  },
});
