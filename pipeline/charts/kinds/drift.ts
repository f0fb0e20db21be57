import { driftAnalysis } from '../../artifacts/philosophy/drift-analysis.ts';
import { ownMember } from '../../model/own-member.ts';
import { formatChange, formatScore, formatSome } from '../../words/number.ts';
import { capitalise, formatToken } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { tableOf } from '../chart-table.ts';

const LABELS: Readonly<Record<string, string>> = {
  mean_gi_score: 'GI score',
  mean_coordination: 'Coordination ÷ 100',
};

export const drift = defineChart({
  id: 'drift',
  area: 'philosophy',
  name: 'Drift by metric',
  sources: [driftAnalysis],
  controls: ['series'],
  missing: {
    nothing:
      'There is no drift yet: it compares the last thirty days with the ledger’s first thirty, so it begins when those are over and something was measured in both.',
    types: [
      'mii_reading',
      'attestation',
      'mic_mint',
      'position_taken',
      'deliberation_closed',
      'decision_recorded',
      'policy_projected',
    ],
    wholeDays: false,
  },
  prepare(files) {
    const { timestamp: asOf, drift_score: score, status, trends } = files.read(driftAnalysis);
    const named = trends.map((one) => {
      const label = ownMember(LABELS, one.metric) ?? capitalise(formatToken(one.metric));
      return { ...one, name: one.metric, label };
    });
    return { trends: named, score, status, asOf };
  },
  series: ({ trends }) => trends,
  asOf: ({ asOf }) => asOf,
  isMissing: ({ trends }) => trends.every(({ drift }) => drift === null),
  view({ score, status }, { series }) {
    // The largest change first; unmeasured metrics last.
    const trends = series.toSorted((a, b) => sizeOf(b) - sizeOf(a));
    const isAny = trends.some(({ baseline, current }) => baseline !== null || current !== null);
    return {
      title: 'How far each metric has drifted',
      unit: 'Each from 0 to 1, or above where it has no upper end: the ledger’s first thirty days, and the last thirty',
      ...tableOf(isAny ? trends : [], [
        ['metric', 'Metric'],
        ['baseline', 'First thirty days', 'share'],
        ['current', 'Last thirty days', 'share'],
        ['drift', 'Change', 'share'],
        ['direction', 'Direction'],
      ]),
      /** How many of the metrics that were measured in both windows are worsening; a single one by its name. */
      finding() {
        const measured = trends.filter(({ drift }) => drift !== null);
        const worse = measured.filter(({ direction }) => direction === 'worsening');
        const [first] = worse;
        if (measured.length < 2) return null;
        if (first && worse.length === 1)
          return `${first.label} is worsening, by ${formatScore(Math.abs(first.drift!))}; no other metric is`;
        const some = formatSome(worse.length, measured.length, 'metrics measured', ['is', 'are']);
        return `${some} worsening${first ? `, ${first.label} most` : ''}`;
      },
      says: () =>
        score === null
          ? ''
          : `The drift score of all metrics is ${formatScore(score)}: ${formatToken(status)}.`,
      mark: () => ({
        kind: 'dots',
        axis: 'numbers',
        texts: 'Change from the first thirty days to the last thirty',
        key: [
          { text: 'First thirty days', colour: 'muted', shape: 'ring' },
          { text: 'Last thirty days', colour: 'subject', shape: 'circle' },
          { text: 'Last thirty days, worsening', colour: 'contrast', shape: 'circle' },
        ],
        rows: trends.map(({ label, baseline, current, drift, direction }) => {
          const colour =
            direction === 'worsening' ? 'contrast' : direction === 'not_measured' ? 'muted' : 'subject';
          return {
            label,
            ring: baseline === null ? null : { at: baseline, colour: 'muted' },
            full: current === null ? null : { at: current, colour },
            text: drift === null ? '–' : signed(drift),
            colour,
          };
        }),
      }),
    };
  },
});

const sizeOf = ({ drift }: { drift: number | null }) => (drift === null ? -1 : Math.abs(drift));

/** Zero has a sign too, or it would read as the metric’s value. */
function signed(drift: number): string {
  const words = formatChange(drift, 3);
  return /^[+−]/.test(words) ? words : `±${words}`;
}
