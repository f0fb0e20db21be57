import { coordination as published } from '../../artifacts/economy/coordination.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { formatNumber } from '../../words/number.ts';
import { defineChart } from '../chart.ts';
import { column } from '../chart-table.ts';
import { labelNumber } from '../drawing/label.ts';
import { cathedralColour } from '../drawing/theme.ts';
import { cathedralKey, chosenSeries } from '../series.ts';

const LEAST_APART = 10;

const seriesOf = ({ sentinels }: Content<typeof published>) =>
  sentinels.map(({ id }) => ({ name: id, label: id }));

export const coordination = defineChart<Content<typeof published>>({
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
  series: seriesOf,
  asOf: ({ timestamp }) => timestamp,
  view(data, state) {
    const names = new Set(chosenSeries(seriesOf(data), state).map(({ name }) => name));
    const sentinels = data.sentinels.filter(({ id }) => names.has(id)).sort((a, b) => b.score - a.score);
    const { average_coordination: mean } = data;
    // The mean is that of all sentinels.
    const isMeanShown = mean !== null && sentinels.length === data.sentinels.length;
    return {
      title: 'Coordination score by sentinel',
      unit: 'Points, at the last attestation; a score of 50 earns half of the highest reward',
      columns: [
        column('sentinel', 'Sentinel'),
        column('cathedral', 'Cathedral'),
        column('coordination_score', 'Coordination score', 'points'),
      ],
      rows: sentinels.map(({ id, cathedral, score }) => [id, cathedral, score]),
      /** The highest and the lowest, if they are ten points apart: a tenth of the way from no reward to the highest. */
      finding() {
        const [first, last] = [sentinels[0]!, sentinels.at(-1)!];
        if (sentinels.length < 2 || first.score - last.score < LEAST_APART) return null;
        if (first.score === sentinels[1]!.score || last.score === sentinels.at(-2)!.score) return null;
        return `${first.id} has ${formatNumber(first.score, 1)} points, ${last.id} only ${formatNumber(last.score, 1)}`;
      },
      says: () =>
        isMeanShown
          ? [`The mean of all active sentinels that have attested is ${formatNumber(mean, 1)} points.`]
          : [],
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
