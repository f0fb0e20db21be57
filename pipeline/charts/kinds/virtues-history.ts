import { metricsByDay } from '../../artifacts/philosophy/metrics-by-day.ts';
import { virtues as published } from '../../artifacts/philosophy/virtues.ts';
import { VIRTUES, type Virtue } from '../../ledger/events/vocabulary.ts';
import { formatDay } from '../../words/moment.ts';
import { formatNumber, formatScore, NOT_MEASURED } from '../../words/number.ts';
import { capitalise, formatList } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { binDays, daysBetween, END_OF_STEP, inRange, type Step, stepFor } from '../drawing/days.ts';
import { type Panel, panels, panelsHeight } from '../drawing/panels.ts';
import { type ChartTheme, THEMES } from '../drawing/theme.ts';
import { chosenSeries } from '../series.ts';
import { NO_VIRTUE_MEASURED } from './virtues.ts';

/** Null if there was nothing to measure in the thirty days. */
type Day = { date: string } & Record<Virtue, number | null>;

interface Shown {
  days: readonly Day[];
  series: readonly { name: Virtue; label: string }[];
  step: Step;
}

const SERIES = VIRTUES.map((name) => ({ name, label: capitalise(name) }));
const MAX_DAYS = 180;

export const virtuesHistory = defineChart<{ days: Day[]; asOf: string }, Shown>({
  id: 'virtues-history',
  area: 'philosophy',
  name: 'Virtues over time',
  sources: [metricsByDay, published],
  controls: ['series', 'from', 'to'],
  prepare(files) {
    const days: Day[] = [...files.read(metricsByDay)];
    const { timestamp: asOf, virtues } = files.read(published);
    const now = Object.fromEntries(VIRTUES.map((name) => [name, virtues[name].score]));
    const date = asOf.slice(0, 10);
    if (date > (days.at(-1)?.date ?? '')) days.push({ date, ...now } as Day);
    return { days, asOf };
  },
  series: () => SERIES,
  days: ({ days }) => days,
  asOf: ({ asOf }) => asOf,
  show({ days }, state) {
    const inside = inRange(days, state);
    const step = stepFor(daysBetween(inside), MAX_DAYS);
    const ends = binDays(inside, step).map(({ rows }) => rows.at(-1)!);
    return { days: ends, series: chosenSeries(SERIES, state), step };
  },
  isEmpty: ({ days, series }) => !series.some((one) => isMeasured(days, one)),
  missing: NO_VIRTUE_MEASURED,
  title: ({ series }) => `${series.length === 1 ? series[0]!.label : 'The virtues'} over time`,
  unit: ({ series, step }) =>
    `Score from 0 to 1, each over the thirty days before, ${END_OF_STEP[step]}${series.length > 1 ? '. Grey: the other virtues' : ''}`,
  finding,
  note({ days, series }) {
    const without = series.filter((one) => !isMeasured(days, one)).map(({ label }) => label);
    return without.length === 0
      ? ''
      : `Without a panel, because there was nothing to measure: ${formatList(without)}.`;
  },
  summary({ days, series }) {
    const [first, last] = [days[0]!, days.at(-1)!];
    if (days.length === 1)
      return [
        `On ${formatDay(last.date)}: ${formatList(series.map(({ name, label }) => `${label} ${formatScore(last[name])}`))}.`,
      ];
    const changes = series.map(({ name, label }) =>
      first[name] === null || last[name] === null
        ? `${label} ${last[name] === null ? NOT_MEASURED : `${formatScore(last[name])} (${NOT_MEASURED} at first)`}`
        : `${label} from ${formatScore(first[name])} to ${formatScore(last[name])}`,
    );
    return [`Between ${formatDay(first.date)} and ${formatDay(last.date)}: ${formatList(changes)}.`];
  },
  table: ({ days, series }) => ({
    columns: [
      { name: 'date', title: 'Day', unit: '' },
      ...series.map(({ name, label }) => ({ name, title: label, unit: 'share' })),
    ],
    rows: days.map((day) => [day.date, ...series.map(({ name }) => rounded(day[name]))]),
  }),
  plotHeight: (shown, width) => panelsHeight(panelsOf(shown).length, width),
  plot(shown, plot) {
    const { days } = shown;
    const range = { from: days[0]!.date, to: days.at(-1)!.date };
    const options = {
      ...range,
      format: (value: number) => formatNumber(value, 1),
      unit: 'Score, share',
      limits: [0, 1] as const,
    };
    return panels(panelsOf(shown, plot.theme), options, plot);
  },
});

/** A twentieth of the scale. A smaller change is no news. */
const LEAST_CHANGE = 0.05;

/** The virtue that changed most between the first and the last day on which it was measured. */
function finding({ days, series }: Shown): string | null {
  const changes = series.flatMap((one) => {
    const scores = days.filter((day) => day[one.name] !== null);
    const [first, last] = [scores[0], scores.at(-1)];
    if (!first || !last || first === last) return [];
    return [{ label: one.label, first, last, from: first[one.name]!, to: last[one.name]! }];
  });
  const most = changes.toSorted((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from))[0];
  if (!most) return null;
  const { label, from, to, first } = most;
  if (Math.abs(to - from) < LEAST_CHANGE) return null;
  const more = changes.length > 1 ? ' most' : '';
  return `${label} ${to > from ? 'rose' : 'fell'}${more}, from ${formatScore(from)} to ${formatScore(to)} since ${formatDay(first.date)}`;
}

function isMeasured(days: readonly Day[], { name }: { name: Virtue }): boolean {
  return days.some((day) => day[name] !== null);
}

function rounded(score: number | null): number | null {
  return score === null ? null : Math.round(score * 1e6) / 1e6;
}

function panelsOf({ days, series }: Shown, theme: ChartTheme = THEMES.light): Panel[] {
  const measured = series.filter((one) => isMeasured(days, one));
  return measured.map(({ name, label }) => ({
    title: label,
    text: formatScore(days.at(-1)![name]),
    colour: theme.subject,
    points: days.map((day) => ({ date: day.date, value: day[name] })),
    column: name,
  }));
}
