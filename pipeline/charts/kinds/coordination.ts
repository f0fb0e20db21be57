import { coordination as published } from '../../artifacts/economy/coordination.ts';
import { formatNumber } from '../../words/number.ts';
import { formatCathedral } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { type SentinelValue, sentinelBars, sentinelBarsHeight } from '../drawing/bar-rows.ts';
import { labelNumber } from '../drawing/label.ts';
import { chosenSeries } from '../series.ts';

interface Data {
  sentinels: { id: string; score: number; cathedral: string }[];
  /** Null if no active sentinel has attested. */
  average: number | null;
  asOf: string;
}

interface Shown {
  /** The highest first. */
  sentinels: Data['sentinels'];
  average: number | null;
  /** Whether all sentinels are shown. Only then does the average apply. */
  all: boolean;
}

const LEAST_APART = 10;

const seriesOf = ({ sentinels }: Data) => sentinels.map(({ id }) => ({ name: id, label: id }));

export const coordination = defineChart<Data, Shown>({
  id: 'coordination',
  area: 'economy',
  name: 'Coordination by sentinel',
  sources: [published],
  controls: ['series'],
  prepare(files) {
    const { timestamp, average_coordination, sentinels } = files.read(published);
    return { sentinels, average: average_coordination, asOf: timestamp };
  },
  series: seriesOf,
  asOf: ({ asOf }) => asOf,
  show(data, state) {
    const names = new Set(chosenSeries(seriesOf(data), state).map(({ name }) => name));
    const sentinels = data.sentinels.filter(({ id }) => names.has(id)).sort((a, b) => b.score - a.score);
    return { sentinels, average: data.average, all: sentinels.length === data.sentinels.length };
  },
  isEmpty: ({ sentinels }) => sentinels.length === 0,
  missing: {
    nothing: 'No active sentinel has attested its work yet.',
    types: ['sentinel_registered', 'attestation'],
    wholeDays: false,
  },
  title: () => 'Coordination score by sentinel',
  /** The highest and the lowest, if they are ten points apart: a tenth of the way from no reward to the highest. */
  finding({ sentinels }) {
    const [first, last] = [sentinels[0]!, sentinels.at(-1)!];
    if (sentinels.length < 2 || first.score - last.score < LEAST_APART) return null;
    if (first.score === sentinels[1]!.score || last.score === sentinels.at(-2)!.score) return null;
    return `${first.id} has ${formatNumber(first.score, 1)} points, ${last.id} only ${formatNumber(last.score, 1)}`;
  },
  unit: () => 'Points, at the last attestation; a score of 50 earns half of the highest reward',
  summary({ sentinels, average }) {
    const [first, last] = [sentinels[0]!, sentinels.at(-1)!];
    return [
      sentinels.length === 1
        ? `${first.id} (${formatCathedral(first.cathedral)}) has a coordination score of ${formatNumber(first.score, 1)} points.`
        : `${first.id} (${formatCathedral(first.cathedral)}) has the highest coordination score, ${formatNumber(first.score, 1)} points.`,
      ...(sentinels.length > 1
        ? [`${last.id} (${formatCathedral(last.cathedral)}) has the lowest, ${formatNumber(last.score, 1)}.`]
        : []),
      ...(average === null
        ? []
        : [`The mean of all active sentinels that have attested is ${formatNumber(average, 1)}.`]),
    ];
  },
  table: ({ sentinels }) => ({
    columns: [
      { name: 'sentinel', title: 'Sentinel', unit: '' },
      { name: 'cathedral', title: 'Cathedral', unit: '' },
      { name: 'coordination_score', title: 'Coordination score', unit: 'points' },
    ],
    rows: sentinels.map(({ id, cathedral, score }) => [id, cathedral, score]),
  }),
  plotHeight: (shown, width) => sentinelBarsHeight(valuesOf(shown), rulesOf(shown), width),
  plot: (shown, plot) => sentinelBars(valuesOf(shown), rulesOf(shown), plot),
});

function valuesOf({ sentinels }: Shown): SentinelValue[] {
  return sentinels.map(({ id, cathedral, score }) => ({
    id,
    cathedral,
    value: score,
    text: labelNumber(score, 1),
  }));
}

function rulesOf({ average, all }: Shown) {
  return all && average !== null ? [{ value: average, text: `Mean ${labelNumber(average, 1)}` }] : [];
}
