import { coordination as published } from '../../artifacts/economy/coordination.ts';
import { formatNumber } from '../../words/number.ts';
import { defineChart } from '../chart.ts';
import { tableOf } from '../chart-table.ts';
import { labelNumber } from '../drawing/label.ts';
import { cathedralColour } from '../drawing/theme.ts';
import { cathedralKey } from '../series.ts';

const LEAST_APART = 10;

export const coordination = defineChart({
  id: 'coordination',
  area: 'economy',
  name: 'Coordination by sentinel',
  sources: [published],
  controls: ['series'],
  missing: {
    nothing: 'No active sentinel has attested its work yet.',
    types: ['sentinel_registered', 'attestation'],
    wholeDays: false,
  },
  prepare: (files) => files.read(published),
  series: ({ sentinels }) => sentinels.map((one) => ({ ...one, name: one.id, label: one.id })),
  asOf: ({ timestamp }) => timestamp,
  view({ sentinels: all, average_coordination: mean }, { series }) {
    const sentinels = series.toSorted((a, b) => b.score - a.score);
    // The mean is that of all sentinels.
    const isMeanShown = mean !== null && sentinels.length === all.length;
    return {
      title: 'Coordination score by sentinel',
      unit: 'Points, at the last attestation; a score of 50 earns half of the highest reward',
      ...tableOf(sentinels, [
        ['sentinel', 'Sentinel', '', ({ id }) => id],
        ['cathedral', 'Cathedral'],
        ['coordination_score', 'Coordination score', 'points', ({ score }) => score],
      ]),
      /** The highest and the lowest, if they are ten points apart: a tenth of the way from no reward to the highest. */
      finding() {
        const [first, last] = [sentinels[0]!, sentinels.at(-1)!];
        if (sentinels.length < 2 || first.score - last.score < LEAST_APART) return null;
        if (first.score === sentinels[1]!.score || last.score === sentinels.at(-2)!.score) return null;
        return `${first.id} has ${formatNumber(first.score, 1)} points, ${last.id} only ${formatNumber(last.score, 1)}`;
      },
      says: () =>
        isMeanShown
          ? `The mean of all active sentinels that have attested is ${formatNumber(mean, 1)} points.`
          : '',
      mark: () => ({
        kind: 'bars',
        key: cathedralKey(sentinels),
        rows: sentinels.map(({ id, cathedral, score }) => ({
          label: id,
          value: score,
          colour: cathedralColour(cathedral),
          text: labelNumber(score, 1),
        })),
        rules: isMeanShown ? [{ value: mean, text: `Mean ${labelNumber(mean, 1)}` }] : [],
      }),
    };
  },
});
