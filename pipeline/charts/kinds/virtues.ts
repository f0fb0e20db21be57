import { virtues as published } from '../../artifacts/philosophy/virtues.ts';
import { VIRTUES } from '../../ledger/events/vocabulary.ts';
import type { VirtueStatus } from '../../model/queries/virtues.ts';
import { formatNumber, formatScore, NOT_MEASURED } from '../../words/number.ts';
import { capitalise, formatList, formatToken } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { type BarChart, barRows, barRowsHeight } from '../drawing/bar-rows.ts';
import { type ChartTheme, THEMES } from '../drawing/theme.ts';
import { chosenSeries } from '../series.ts';

interface Virtue {
  name: string;
  label: string;
  /** Null if there was nothing to measure. */
  score: number | null;
  measure: string;
  status: VirtueStatus;
}

interface Shown {
  virtues: readonly Virtue[];
  overall: number | null;
}

const SERIES = VIRTUES.map((name) => ({ name, label: capitalise(name) }));
const RULES = [
  { value: 0.6, text: '0.6 at risk', short: '0.6' },
  { value: 0.8, text: '0.8 compliant', short: '0.8' },
];

/** What a chart of virtues says where nothing measures one. */
export const NO_VIRTUE_MEASURED = {
  nothing: 'Nothing has been recorded yet by which a virtue is measured.',
  types: [
    'mii_reading',
    'mic_mint',
    'position_taken',
    'deliberation_closed',
    'decision_recorded',
    'policy_projected',
  ],
  wholeDays: false,
} as const;

export const virtues = defineChart<Shown & { asOf: string }, Shown>({
  id: 'virtues',
  area: 'philosophy',
  name: 'Virtues',
  sources: [published],
  controls: ['series'],
  prepare(files) {
    const { timestamp: asOf, virtues, overall_compliance } = files.read(published);
    const list = SERIES.map(({ name, label }) => ({ name, label, ...virtues[name] }));
    return { virtues: list, overall: overall_compliance, asOf };
  },
  series: () => SERIES,
  asOf: ({ asOf }) => asOf,
  show: ({ virtues, overall }, state) => ({ virtues: chosenSeries(virtues, state), overall }),
  isEmpty: ({ virtues }) => virtues.length === 0,
  isMissing: ({ virtues }) => virtues.every(({ score }) => score === null),
  missing: NO_VIRTUE_MEASURED,
  title: () => 'How the system scores on five virtues',
  finding,
  unit: () =>
    'Score from 0 to 1 over the last thirty days of the ledger; compliant from 0.8, at risk from 0.6, breached below',
  summary({ virtues, overall }) {
    const scores = virtues.map(({ label, score, status }) =>
      score === null ? `${label} ${NOT_MEASURED}` : `${label} ${formatScore(score)} (${formatToken(status)})`,
    );
    return [
      `${formatList(scores)}.`,
      ...(overall === null ? [] : [`The mean of those that were measured is ${formatScore(overall)}.`]),
    ];
  },
  table: ({ virtues }) => ({
    columns: [
      { name: 'virtue', title: 'Virtue', unit: '' },
      { name: 'score', title: 'Score', unit: 'share' },
      { name: 'status', title: 'Status', unit: '' },
      { name: 'measure', title: 'Measure', unit: '' },
    ],
    rows: virtues.map(({ name, score, status, measure }) => [name, score, status, measure]),
  }),
  plotHeight: (shown, width) => barRowsHeight(barsOf(shown, THEMES.light), width),
  plot: (shown, plot) => barRows(barsOf(shown, plot.theme), plot),
});

/** How many of the measured virtues are compliant, and the name of a single one that is not. */
function finding({ virtues }: Shown): string | null {
  const measured = virtues.filter(({ score }) => score !== null);
  if (measured.length < 2) return null;
  const others = measured.filter(({ status }) => status !== 'compliant');
  const [only] = others;
  if (!only) return `All ${formatNumber(measured.length)} virtues measured are compliant`;
  if (others.length === 1)
    return `${only.label} is ${formatToken(only.status)}, the other ${measured.length === 2 ? 'virtue is' : `${formatNumber(measured.length - 1)} virtues are`} compliant`;
  const count = measured.length - others.length;
  return `${count === 0 ? 'None' : formatNumber(count)} of the ${formatNumber(measured.length)} virtues measured ${count === 1 ? 'is' : 'are'} compliant`;
}

function barsOf({ virtues }: Shown, theme: ChartTheme): BarChart {
  const colours = {
    compliant: theme.parts[0],
    at_risk: theme.warning,
    breached: theme.contrast,
    not_measured: theme.muted,
  };
  const rows = virtues.map(({ label, score, status }) => ({
    label,
    value: score ?? 0,
    colour: colours[status],
    text: score === null ? NOT_MEASURED : `${formatScore(score)} ${formatToken(status)}`,
  }));
  return { rows, key: [], rules: RULES, most: 1 };
}
