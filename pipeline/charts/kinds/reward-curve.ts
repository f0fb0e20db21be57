import { sentinelRoi } from '../../artifacts/economy/sentinel-roi.ts';
import { REWARD, reward } from '../../model/formulas.ts';
import { formatNumber, formatSome } from '../../words/number.ts';
import { defineChart } from '../chart.ts';
import { round, tableOf } from '../chart-table.ts';
import { cathedralColour } from '../drawing/theme.ts';

interface Sentinel {
  id: string;
  cathedral: string;
  score: number;
  multiplier: number;
}

/** The range of the multiplier, and its middle. */
const MULTIPLIERS = [2, 1.5, 1];
const LEAST_MOST = 120;
/** Beyond it the curves are flat; dots further out are drawn at the end. */
const MOST = 400;

export const rewardCurve = defineChart({
  id: 'reward-curve',
  area: 'economy',
  name: 'Reward curve',
  sources: [sentinelRoi],
  controls: ['s', 'multiplier'],
  missing: null,
  prepare(files) {
    const { timestamp: asOf, sentinels } = files.read(sentinelRoi);
    const scored = sentinels.flatMap(({ id, cathedral, coordination_score: score, multiplier }) =>
      score === null ? [] : [{ id, cathedral, score, multiplier }],
    );
    return { sentinels: scored, asOf };
  },
  asOf: ({ asOf }) => asOf,
  view({ sentinels }, { state: { s, multiplier } }) {
    const own = s === null && multiplier === null ? null : { s: s ?? REWARD.x0, multiplier: multiplier ?? 1 };
    const highest = Math.max(0, ...sentinels.map(({ score }) => score), own?.s ?? 0);
    const most = Math.min(MOST, Math.max(LEAST_MOST, Math.ceil(highest / 20) * 20));
    const scores = Array.from({ length: most / 10 + 1 }, (_, index) => index * 10);
    const formula = `${formatNumber(REWARD.L)} ÷ (1 + e^(−${REWARD.k}(s − ${REWARD.x0}))) × M`;
    return {
      title: 'What a mint earns, by coordination score and multiplier',
      unit: `Reward in MIC for a score of s points and a multiplier M: ${formula.replaceAll(' ', '\u00a0')}`,
      ...tableOf(
        [
          ...(own ? [{ what: 'your point', ...own }] : []),
          ...sentinels.map(({ id, score, multiplier }) => ({ what: id, s: score, multiplier })),
          ...MULTIPLIERS.flatMap((multiplier) => scores.map((s) => ({ what: 'curve', s, multiplier }))),
        ],
        [
          ['what', 'Curve or sentinel'],
          ['s', 'Coordination score', 'points'],
          ['multiplier', 'Multiplier', 'factor'],
          ['reward', 'Reward of a mint', 'MIC', ({ s, multiplier }) => round(reward(s, multiplier))],
        ],
      ),
      finding: () => (own ? ownWords(own) : halfWords(sentinels)),
      says: () =>
        `A score of ${REWARD.x0} points earns ${formatNumber(reward(REWARD.x0, 1))} MIC with the multiplier 1 and ${formatNumber(reward(REWARD.x0, 2))} MIC with 2; no mint earns more than ${formatNumber(REWARD.L * 2)} MIC.`,
      note: () =>
        sentinels.length > 0
          ? 'Dots: the sentinels, at their present score and multiplier, named where there is room.'
          : '',
      mark: () => ({
        kind: 'curves',
        texts: 'A mint would earn',
        x: { title: 'Coordination score, points', most },
        y: { title: 'Reward, MIC', most: REWARD.L * 2 },
        curves: MULTIPLIERS.map((multiplier) => ({
          label: `M = ${formatNumber(multiplier, 1)}`,
          at: (s) => reward(s, multiplier),
        })),
        dots: [
          ...(own ? [{ ...dotOf('Your point', own.s, own.multiplier), colour: 'ink' as const }] : []),
          ...sentinels.map(({ id, cathedral, score, multiplier }) => ({
            ...dotOf(id, score, multiplier),
            colour: cathedralColour(cathedral),
          })),
        ],
      }),
    };
  },
});

function dotOf(label: string, s: number, multiplier: number) {
  const mic = reward(s, multiplier);
  return { label, x: s, y: mic, text: `${formatNumber(mic)} MIC` };
}

function ownWords({ s, multiplier }: { s: number; multiplier: number }): string {
  return `${formatNumber(s, 1)} points with the multiplier ${formatNumber(multiplier, 2)} earn ${formatNumber(reward(s, multiplier), 1)} MIC`;
}

/** How many sentinels are on the upper half of the curve. */
function halfWords(sentinels: readonly Sentinel[]): string | null {
  const above = sentinels.filter(({ score }) => score >= REWARD.x0).length;
  if (sentinels.length < 2) return null;
  const some = formatSome(above, sentinels.length, 'sentinels', ['has', 'have']);
  return `${some} the ${REWARD.x0} points that earn half of the highest reward`;
}
