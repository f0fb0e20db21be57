import { meanOf } from '../../../../pipeline/model/formulas.ts';
import { openChart } from '../charts/open-chart.ts';
import type { SiteRelease } from '../release.ts';
import { DAILY, type DailyValues } from './daily-values.ts';
import { trendBefore } from './key-figure.ts';

/** Charts of one measure that is published by day; the first of equals is chosen. */
const CANDIDATES: readonly { chart: string; daily: (release: SiteRelease) => DailyValues }[] = [
  { chart: 'mii', daily: DAILY.mii },
  { chart: 'uptime', daily: DAILY.operational },
  { chart: 'minting', daily: DAILY.minted },
  { chart: 'consensus', daily: DAILY.consensusRate },
  { chart: 'virtues-history', daily: DAILY.virtues },
  { chart: 'drift', daily: DAILY.driftScore },
  { chart: 'coordination-history', daily: DAILY.coordination },
  { chart: 'supply', daily: DAILY.totalSupply },
];

/**
 * How far a measure moved on its last day, in units of what it moves on an ordinary day; 0 for one that has no such day yet. One that
 * moved after it had stood still is further than any other.
 */
export function unusualness(values: readonly (number | null)[]): number {
  const changes = values.slice(1).map((value, index) => {
    const before = values[index]!;
    return value === null || before === null ? null : Math.abs(value - before);
  });
  const last = changes.at(-1) ?? null;
  const usual = meanOf(changes.slice(0, -1));
  if (last === null || usual === null || last === 0) return 0;
  return usual === 0 ? Number.POSITIVE_INFINITY : last / usual;
}

/**
 * The chart of the day: its measure moved most on the last whole day, compared with what it moves on an ordinary one. Null for a
 * ledger without any of these measures. It changes once a day.
 */
export function notableChart(release: SiteRelease): string | null {
  const shown = CANDIDATES.filter(({ chart }) => {
    const open = openChart(release, chart);
    return open.chart.missing(open.data) === null;
  }).map(({ chart, daily }) => ({
    chart,
    moved: unusualness(trendBefore(daily(release), release.draft.timestamp)),
  }));
  const most = Math.max(...shown.map(({ moved }) => moved));
  return shown.find(({ moved }) => moved === most)?.chart ?? null;
}
