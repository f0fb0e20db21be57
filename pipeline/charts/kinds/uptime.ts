import { sentinelsByDay } from '../../artifacts/academics/sentinels-by-day.ts';
import { NO_HEARTBEAT_YET, UP_STATUSES } from '../../model/sentinel-status.ts';
import { formatCount, formatNumber, formatPercent } from '../../words/number.ts';
import { formatList } from '../../words/phrase.ts';
import { defineChart } from '../chart.ts';
import { tableOf } from '../chart-table.ts';
import { calendarBins, daysBetween, partialWords } from '../drawing/days.ts';
import { namedSeries } from '../series.ts';
import { binColumns } from './flows.ts';

type Status = (typeof UP_STATUSES)[number];

interface Row {
  date: string;
  sentinel: string;
  status: Status;
}

/** The days from a sentinel's first heartbeat on, in total and by worst status. */
interface Sentinel {
  name: string;
  days: number;
  offline: number;
  /** Of the days without a silence. */
  share: number;
}

const LOOKS = {
  operational: { text: 'Operational', colour: 'part-1', share: 1 },
  degraded: { text: 'Degraded: silent over 12 h', colour: 'warning', share: 0.6 },
  offline: { text: 'Offline: over 24 h', colour: 'contrast', share: 0.25 },
} as const satisfies Record<Status, unknown>;

export const uptime = defineChart({
  id: 'uptime',
  area: 'government',
  name: 'Sentinel uptime',
  sources: [sentinelsByDay],
  controls: ['series', 'from', 'to'],
  missing: {
    nothing: 'There is no whole day yet with a heartbeat of a sentinel.',
    types: ['sentinel_registered', 'heartbeat'],
    wholeDays: true,
  },
  prepare: (files): Row[] =>
    files
      .read(sentinelsByDay)
      .flatMap(({ date, sentinel, status }) =>
        status === NO_HEARTBEAT_YET ? [] : [{ date, sentinel, status }],
      ),
  series: (rows) => namedSeries(rows.map(({ sentinel }) => sentinel)),
  days: (rows) => rows,
  // They fit on a screen; readers can choose more.
  opensWith: 90,
  mostDays: 130,
  view(_, { series, days, step }) {
    const bins = calendarBins(days, step);
    const own = Map.groupBy(days, ({ sentinel }) => sentinel);
    const sentinels = series.flatMap(({ name }) => (own.has(name) ? [sentinelOf(name, own.get(name)!)] : []));
    return {
      title: 'Which sentinels were up',
      unit: `${step === 'day' ? 'Each day' : `The worst day of each ${step}`}, by the longest silence between two heartbeats; at the right, the share of days without a silence over 12 hours`,
      ...tableOf(sentinels.length === 0 ? [] : bins, [
        ...binColumns<(typeof bins)[number]>(step),
        ...sentinels.map(
          ({ name }) =>
            [
              name,
              name,
              'worst status',
              ({ rows }: (typeof bins)[number]) => worst(rows.filter(({ sentinel }) => sentinel === name)),
            ] as const,
        ),
      ]),
      finding: () => finding(sentinels, daysBetween([{ date: bins[0]!.from }, { date: bins.at(-1)!.to }])),
      note: () => partialWords(bins, step),
      says() {
        const down = sentinels
          .filter(({ offline }) => offline > 0)
          .map(({ name, offline }) => `${name} on ${formatCount(offline, 'day')}`);
        const said = down.length === 0 ? 'no sentinel' : formatList(down);
        return `Offline, that is, silent for more than 24 hours: ${said}.`;
      },
      mark: () => ({
        kind: 'cells',
        texts: 'Days without a silence over 12 hours',
        looks: LOOKS,
        rows: sentinels.map(({ name, share }) => ({ label: name, text: formatPercent(share) })),
      }),
    };
  },
});

function sentinelOf(name: string, rows: readonly Row[]): Sentinel {
  const count = (status: Status) => rows.filter((row) => row.status === status).length;
  return { name, days: rows.length, offline: count('offline'), share: count('operational') / rows.length };
}

/** Null if the sentinel was not registered. */
function worst(rows: readonly Row[]): Status | null {
  return UP_STATUSES.findLast((status) => rows.some((row) => row.status === status)) ?? null;
}

/** A shorter time says little about how reliable a sentinel is. */
const LEAST_DAYS = 7;
const MOST_NAMES = 3;

/** Who was offline most, or that none was. Up to three names; with more, only their number. */
function finding(sentinels: readonly Sentinel[], days: number): string | null {
  if (days < LEAST_DAYS) return null;
  const only = sentinels.length === 1 ? sentinels[0]! : null;
  const span = formatCount(only?.days ?? days, 'day');
  const most = Math.max(...sentinels.map(({ offline }) => offline));
  if (most === 0) return `${only ? `${only.name} was never` : 'No sentinel was'} offline in ${span}`;
  const first = sentinels.filter(({ offline }) => offline === most).map(({ name }) => name);
  const who = first.length > MOST_NAMES ? formatCount(first.length, 'sentinel') : formatList(first);
  const were = first.length === 1 ? 'was' : 'were';
  const each = first.length === 1 ? '' : ' each';
  const others = first.length === sentinels.length ? '' : ', more than the others';
  return `${who} ${were} offline on ${formatNumber(most)} of ${span}${each}${others}`;
}
