import { sentinelsByDay } from '../../artifacts/academics/sentinels-by-day.ts';
import { mii as miiNow } from '../../artifacts/economy/mii.ts';
import { miiByDay } from '../../artifacts/economy/mii-by-day.ts';
import type { Content } from '../../artifacts/published-files.ts';
import { addDays, daysFrom, timeOfDay } from '../../words/day.ts';
import { formatCount, formatIndex, formatNumber } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { type Annotation, defineChart, MOST_ANNOTATIONS } from '../chart.ts';
import { round, tableOf } from '../chart-table.ts';
import { calendarBins, partialWords } from '../drawing/days.ts';
import type { Pane } from '../drawing/pane.ts';
import { binColumns } from './flows.ts';

type Day = Content<typeof miiByDay>[number];

/** The latest reading, possibly of the current day. */
interface Reading {
  mii: number;
  threshold: number | null;
  minting_active: boolean | null;
  time: number;
}

const isOff = (day: Pick<Day, 'minting_active'>) => day.minting_active === false;

export const mii = defineChart({
  id: 'mii',
  area: 'economy',
  name: 'Integrity index and its threshold',
  sources: [miiByDay, miiNow, sentinelsByDay],
  controls: ['from', 'to'],
  missing: {
    nothing: 'There is no whole day yet with a reading of the integrity index.',
    types: ['mii_reading'],
    wholeDays: true,
  },
  prepare(files) {
    const { timestamp: asOf, mii, ...rest } = files.read(miiNow);
    const now: Reading | null = mii === null ? null : { mii, ...rest, time: Date.parse(asOf) };
    const silent = files.read(sentinelsByDay).filter(({ status }) => status === 'offline');
    const offline = Map.groupBy(silent, ({ date }) => date);
    return { days: files.read(miiByDay), now, offline, asOf };
  },
  days: ({ days }) => days,
  asOf: ({ asOf }) => asOf,
  view(data, { state, days, step }) {
    // A day without a reading does not make a week incomplete.
    const bins = calendarBins(days, step).filter(({ rows }) => rows.length > 0);
    const now =
      state.to === null && data.now && data.now.time >= timeOfDay(days[0]?.date ?? '') ? data.now : null;
    const values = [...days.flatMap(({ mii_min, threshold }) => [mii_min, threshold]), now?.mii ?? null];
    return {
      title: 'Integrity index against the threshold below which minting stops',
      unit: `From 0 to 1: mean of each ${step}’s readings, with the range from the lowest to the highest, and the latest reading`,
      ...tableOf(bins, [
        ...binColumns<(typeof bins)[number]>(step),
        ['mii_mean', 'Mean index', 'share', ({ rows }) => round(meanOf(rows))],
        ['mii_min', 'Lowest reading', 'share', ({ rows }) => Math.min(...rows.map((day) => day.mii_min))],
        ['mii_max', 'Highest reading', 'share', ({ rows }) => Math.max(...rows.map((day) => day.mii_max))],
        ['threshold', 'Threshold at the end', 'share', ({ rows }) => round(rows.at(-1)!.threshold)],
        [
          'days_minting_off',
          'Days that ended with minting off',
          'days',
          ({ rows }) => rows.filter(isOff).length,
        ],
      ]),
      finding: () => finding(days),
      says: () => (now ? standing(now) : ''),
      note: () =>
        [
          'The strip at the bottom shows when days ended with minting off.',
          ...(isFromZero(values) ? [] : [`${NOT_FROM_ZERO}.`]),
          partialWords(bins, step),
        ]
          .join(' ')
          .trim(),
      annotations: () => annotationsOf(days, data.offline),
      mark: () => ({
        kind: 'over-time',
        ...(now ? { latest: { time: now.time, column: 'mii_mean', value: now.mii } } : {}),
        strip: { column: 'days_minting_off', label: 'Minting off', colour: 'contrast' },
        panes: [
          indexPane({
            band: ['mii_min', 'mii_max'],
            index: {
              label: now ? 'Latest reading' : `Mean of the ${step}`,
              text: formatIndex(now ? now.mii : meanOf(bins.at(-1)!.rows)),
            },
            threshold: (now ?? days.at(-1)!).threshold,
            values,
          }),
        ],
      }),
    };
  },
});

interface Indexed {
  /** The columns with the ends of the readings' range. */
  band: readonly [low: string, high: string];
  index: Pick<Pane['drawn'][number], 'label' | 'text' | 'dots'>;
  /** The newest one. */
  threshold: number | null;
  /** What the lines and the band show. */
  values: readonly (number | null)[];
}

export const NOT_FROM_ZERO = 'The scale does not begin at zero';

/** The axis begins at zero where a value is nearer to it than to one, and with round numbers near the lowest value elsewhere. */
export function isFromZero(values: readonly (number | null)[]): boolean {
  return values.some((value) => value !== null && value < 0.5);
}

/** The mean index with the range of its readings, and the threshold. */
export function indexPane({ band: [low, high], index, threshold, values }: Indexed): Pane {
  const held = {
    column: 'threshold',
    label: 'Threshold',
    text: formatIndex(threshold),
    colour: 'contrast',
    dash: true,
  } as const;
  return {
    mark: 'lines',
    unit: 'Index, share',
    leastSpan: 0.02,
    limits: [0, 1],
    covers: isFromZero(values) ? [0] : [],
    band: { low, high, colour: 'subject' },
    drawn: [{ column: 'mii_mean', ...index, colour: 'subject' }, ...(threshold === null ? [] : [held])],
  };
}

function meanOf(days: readonly Day[]): number {
  const readings = days.reduce((sum, day) => sum + day.readings, 0);
  return days.reduce((sum, day) => sum + day.mii_mean * day.readings, 0) / readings;
}

/** Fewer days say nothing about how often minting is off. */
const LEAST_DAYS = 7;

/** On how many of the days minting was off. */
function finding(days: readonly Day[]): string | null {
  // A day without a threshold ended neither on nor off.
  if (days.length < LEAST_DAYS || days.some(({ minting_active }) => minting_active === null)) return null;
  const off = days.filter(isOff).length;
  if (off === 0) return `Minting was on at the end of each of ${formatCount(days.length, 'day')}`;
  if (off === days.length) return `Minting was off at the end of each of ${formatCount(days.length, 'day')}`;
  return `Minting was off at the end of ${formatNumber(off)} of ${formatCount(days.length, 'day')}`;
}

function standing({ mii, threshold, minting_active }: Reading): string {
  const index = `The integrity index is ${formatIndex(mii)}`;
  if (threshold === null) return `${index}. Without a supply there is no threshold to compare it with.`;
  const side = minting_active ? 'at or above' : 'below';
  return `${index}, ${side} its threshold of ${formatIndex(threshold)}: minting is ${minting_active ? 'on' : 'off'}.`;
}

/** Days in a row that ended with minting off. */
export interface OffRun {
  from: string;
  to: string;
  days: number;
  /** How far below the threshold the lowest reading was. */
  depth: number;
}

/** The longest first; of equally long ones the deepest, then the newest. */
export function offRuns(days: readonly Day[]): OffRun[] {
  const runs: OffRun[] = [];
  for (const { date, mii_min, threshold } of days.filter(isOff)) {
    const depth = threshold! - mii_min;
    const last = runs.at(-1);
    if (last && addDays(last.to, 1) === date)
      Object.assign(last, { to: date, days: daysFrom(last.from, date), depth: Math.max(last.depth, depth) });
    else runs.push({ from: date, to: date, days: 1, depth });
  }
  return runs.sort((a, b) => b.days - a.days || b.depth - a.depth || (a.from < b.from ? 1 : -1));
}

/** More names would not fit beside the mark. */
const MOST_NAMES = 2;

/** The longest times with minting off, and who was offline then or on the day before: in time together, which states no cause. */
function annotationsOf(
  days: readonly Day[],
  offline: ReadonlyMap<string, { sentinel: string }[]>,
): Annotation[] {
  return offRuns(days)
    .slice(0, MOST_ANNOTATIONS)
    .map(({ from, to, days: length }) => {
      const dates = Array.from({ length: length + 1 }, (_, index) => addDays(from, index - 1));
      const silent = dates.flatMap((date) => offline.get(date) ?? []);
      const names = [...new Set(silent.map(({ sentinel }) => sentinel))].sort();
      const who = names.length > MOST_NAMES ? `${names.length} sentinels` : formatList(names);
      const off = `Minting off for ${length === 1 ? 'a day' : `${length} days`}`;
      return { day: from, end: to, label: names.length === 0 ? off : `${off}; ${who} offline` };
    })
    .sort((a, b) => (a.day < b.day ? -1 : 1));
}
