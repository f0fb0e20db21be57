import { metricsByDay } from '../../artifacts/philosophy/metrics-by-day.ts';
import { virtues as published } from '../../artifacts/philosophy/virtues.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { VIRTUES, type Virtue } from '../../ledger/events/vocabulary.ts';
import { formatDay } from '../../words/moment.ts';
import { formatNumber, formatScore, formatSome, NO_VALUE, NOT_MEASURED } from '../../words/number.ts';
import { capitalise, formatList, formatToken } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { round, tableOf } from '../chart-table.ts';
import { END_OF_STEP, endsOf, withToday } from '../drawing/days.ts';

const SERIES = VIRTUES.map((name) => ({ name, label: capitalise(name) }));

/** What a chart of virtues says where nothing measures one. */
const MISSING = {
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

const COLOURS = {
  compliant: 'part-1',
  at_risk: 'warning',
  breached: 'contrast',
  not_measured: 'muted',
} as const;

type Published = Content<typeof published>;

const scoresOf = ({ virtues }: Published) => SERIES.map((one) => ({ ...one, ...virtues[one.name] }));

export const virtues = defineChart({
  id: 'virtues',
  area: 'philosophy',
  name: 'Virtues',
  sources: [published],
  controls: ['series'],
  missing: MISSING,
  prepare: (files) => files.read(published),
  series: scoresOf,
  asOf: ({ timestamp }) => timestamp,
  isMissing: (data) => scoresOf(data).every(({ score }) => score === null),
  view({ overall_compliance: mean }, { series: virtues }) {
    return {
      title: 'How the system scores on five virtues',
      unit: 'Score from 0 to 1 over the last thirty days of the ledger; compliant from 0.8, at risk from 0.6, breached below',
      ...tableOf(virtues, [
        ['virtue', 'Virtue', '', ({ name }) => name],
        ['score', 'Score', 'share'],
        ['status', 'Status'],
        ['measure', 'Measure'],
      ]),
      /** How many of the measured virtues are compliant, and the name of a single one that is not. */
      finding() {
        const measured = virtues.filter(({ score }) => score !== null);
        const others = measured.filter(({ status }) => status !== 'compliant');
        const [only] = others;
        if (measured.length < 2) return null;
        if (only && others.length === 1)
          return `${only.label} is ${formatToken(only.status)}, the other ${measured.length === 2 ? 'virtue is' : `${formatNumber(measured.length - 1)} virtues are`} compliant`;
        const count = measured.length - others.length;
        return `${formatSome(count, measured.length, 'virtues measured', ['is', 'are'])} compliant`;
      },
      says: () =>
        mean === null ? '' : `The mean of the virtues that were measured is ${formatScore(mean)}.`,
      mark: () => ({
        kind: 'bars',
        most: 1,
        rows: virtues.map(({ label, score, status }) => ({
          label,
          value: score ?? 0,
          colour: COLOURS[status],
          text: score === null ? NOT_MEASURED : `${formatScore(score)} ${formatToken(status)}`,
        })),
        rules: [
          { value: 0.6, text: '0.6 at risk', short: '0.6' },
          { value: 0.8, text: '0.8 compliant', short: '0.8' },
        ],
      }),
    };
  },
});

/** Null if there was nothing to measure in the thirty days. */
type Day = { date: string } & Record<Virtue, number | null>;

/** A twentieth of the scale. A smaller change is no news. */
const LEAST_CHANGE = 0.05;

export const virtuesHistory = defineChart({
  id: 'virtues-history',
  area: 'philosophy',
  name: 'Virtues over time',
  sources: [metricsByDay, published],
  controls: ['series', 'from', 'to'],
  missing: MISSING,
  prepare(files) {
    const { timestamp: asOf, virtues } = files.read(published);
    const now = Object.fromEntries(VIRTUES.map((name) => [name, virtues[name].score]));
    const today = { date: asOf.slice(0, 10), ...now } as Day;
    return { days: withToday<Day>(files.read(metricsByDay), today), asOf };
  },
  series: () => SERIES,
  days: ({ days }) => days,
  mostDays: 180,
  asOf: ({ asOf }) => asOf,
  view(_, { series, days: chosen, step }) {
    const days = endsOf(chosen, step);
    const measured = series.filter(({ name }) => days.some((day) => day[name] !== null));
    return {
      title: `${series.length === 1 ? series[0]!.label : 'The virtues'} over time`,
      unit: `Score from 0 to 1, each over the thirty days before, ${END_OF_STEP[step]}${series.length > 1 ? '. Grey: the other virtues' : ''}`,
      ...tableOf(measured.length === 0 ? [] : days, [
        ['date', 'Day'],
        ...series.map(({ name, label }) => [name, label, 'share', (day: Day) => round(day[name])] as const),
      ]),
      /** The virtue that changed most between the first and the last day on which it was measured. */
      finding() {
        const changes = measured.map(({ name, label }) => {
          const scores = days.filter((day) => day[name] !== null);
          const [first, last] = [scores[0]!, scores.at(-1)!];
          return {
            label,
            since: first.date,
            from: first[name]!,
            to: last[name]!,
            change: last[name]! - first[name]!,
          };
        });
        const [most] = changes.sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
        if (!most || Math.abs(most.change) < LEAST_CHANGE) return null;
        const { label, since, from, to, change } = most;
        return `${label} ${change > 0 ? 'rose' : 'fell'}${changes.length > 1 ? ' most' : ''}, from ${formatScore(from)} to ${formatScore(to)} since ${formatDay(since)}`;
      },
      note() {
        const without = series.filter((one) => !measured.includes(one)).map(({ label }) => label);
        return without.length === 0
          ? ''
          : `Without a panel, because there was nothing to measure: ${formatList(without)}.`;
      },
      mark: () => ({
        kind: 'over-time',
        panels: true,
        panes: [
          {
            mark: 'lines',
            unit: 'Score, share',
            limits: [0, 1],
            drawn: measured.map(({ name, label }) => ({
              column: name,
              label,
              // The words would leave no room for the name of a narrow panel.
              text: formatScore(days.at(-1)![name], NO_VALUE),
              colour: 'subject' as const,
            })),
          },
        ],
      }),
    };
  },
});
