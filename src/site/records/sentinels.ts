import type { z } from 'zod';
import { sentinelsByDay } from '../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import { sentinelRoi } from '../../../pipeline/artifacts/economy/sentinel-roi.ts';
import { sentinelStatus } from '../../../pipeline/artifacts/government/sentinel-status.ts';
import { coordinationHistory } from '../../../pipeline/charts/kinds/coordination-history.ts';
import { uptime } from '../../../pipeline/charts/kinds/uptime.ts';
import { NO_HEARTBEAT_YET } from '../../../pipeline/model/sentinel-status.ts';
import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { pageNames } from '../../../pipeline/words/page-names.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import { perRelease, type SiteRelease } from '../layout/release.ts';
import { type Position, tally } from './deliberations.ts';

/** The charts on every sentinel's page, opened once. */
export const sentinelCharts = perRelease((release) => ({
  scores: coordinationHistory.open(release),
  uptime: uptime.open(release),
}));

const RANKS = ['highest', 'second highest', 'third highest'];

/** What stands out about a sentinel: its ranks, and how often it opposed. */
export function sentinelSentences(
  one: SentinelEntry,
  all: readonly SentinelEntry[],
  taken: readonly Pick<Position, 'position'>[],
): string[] {
  const active = all.filter(({ status }) => status !== 'retired');
  const facts = [
    ...ranked('coordination score', one, active, ({ coordination }) => coordination),
    ...ranked('integrity score', one, active, ({ gi_score }) => gi_score),
    ...ranked('ROI', one, active, ({ roi }) => roi),
  ];
  const since =
    one.status === NO_HEARTBEAT_YET
      ? 'has sent no heartbeat yet'
      : one.status === 'retired' || !one.uptime_days
        ? `is ${one.status}`
        : `is ${one.status}, and has been up for ${formatCount(one.uptime_days, 'day')}`;
  const rank =
    facts.length > 0 ? ` Of ${formatNumber(active.length)} sentinels it has ${formatList(facts)}.` : '';
  return [`${one.id} ${since}.${rank}`, ...stands(one, taken)];
}

function ranked(
  what: string,
  one: SentinelEntry,
  all: readonly SentinelEntry[],
  measure: (entry: SentinelEntry) => number | null,
): string[] {
  const own = measure(one);
  const measured = all.map(measure).filter((value) => value !== null);
  if (own === null || !all.includes(one) || measured.every((value) => value === own)) return [];
  const higher = measured.filter((value) => value > own).length;
  if (higher === measured.length - 1) return [`the lowest ${what}`];
  return RANKS[higher] === undefined ? [] : [`the ${RANKS[higher]} ${what}`];
}

function stands({ id }: SentinelEntry, taken: readonly Pick<Position, 'position'>[]): string[] {
  if (taken.length === 0) return [];
  const { favour, conditions, against, abstained } = tally(taken);
  const withConditions = conditions > 0 ? `, ${formatNumber(conditions)} of them with conditions` : '';
  return [
    `${id} took part in ${formatCount(taken.length, 'published deliberation')}: in favour ${times(favour)}${withConditions}; against ${times(against)}; abstaining ${times(abstained)}.`,
  ];
}

function times(count: number): string {
  return ['never', 'once', 'twice'][count] ?? `${formatNumber(count)} times`;
}

type Status = z.output<typeof sentinelStatus.schema>['sentinels'][number]['status'];

export interface SentinelEntry {
  id: string;
  /** The path of its page. */
  href: string;
  cathedral: string;
  status: Status;
  /** Since it was registered or its last outage ended; null before its first heartbeat. */
  uptime_days: number | null;
  last_heartbeat: string | null;
  /** Share; null before the first attestation, like the coordination score, which is in points. */
  gi_score: number | null;
  coordination: number | null;
  /** MIC */
  total_rewards: number;
  multiplier: number;
  /** Null without a mint. */
  roi: number | null;
}

/** The page of each sentinel. */
const sentinelPages = perRelease((release) => {
  const names = pageNames(release.read(sentinelStatus).sentinels.map(({ id }) => id));
  return new Map([...names].map(([id, name]) => [id, `/sentinels/${name}/`] as const));
});

/** The rows of all sentinels for each day that is over. */
const sentinelDays = perRelease((release) => Map.groupBy(release.read(sentinelsByDay), ({ date }) => date));

/**
 * The sentinels that were registered on a day and had not been retired before, by id. Pages of its records link to these alone, so
 * that they stay as they are when others come and go.
 */
export function sentinelsOfDay(
  release: SiteRelease,
  day: string,
): ReadonlyMap<string, { href: string; cathedral: string }> {
  const isOver = day < release.draft.timestamp.slice(0, 10);
  const sentinels = isOver
    ? (sentinelDays(release).get(day) ?? []).map(({ sentinel: id, cathedral }) => ({ id, cathedral }))
    : release.read(sentinelStatus).sentinels.filter(({ status }) => status !== 'retired');
  const pages = sentinelPages(release);
  return new Map(sentinels.map(({ id, cathedral }) => [id, { href: pages.get(id)!, cathedral }] as const));
}

/** Every registered sentinel in the order of registration, from the public files. */
export const sentinelEntries = perRelease((release): SentinelEntry[] => {
  const { sentinels } = release.read(sentinelStatus);
  const earned = new Map(release.read(sentinelRoi).sentinels.map((one) => [one.id, one] as const));
  return sentinels.map(({ id, performance, ...status }) => {
    const { total_rewards = 0, multiplier = 1, roi = null } = earned.get(id) ?? {};
    const { gi_score, coordination } = performance;
    const href = sentinelPages(release).get(id)!;
    return { ...status, id, href, gi_score, coordination, total_rewards, multiplier, roi };
  });
});

/** The time of the data in `sentinelEntries`. */
export const sentinelsAsOf = perRelease((release) => release.read(sentinelStatus).timestamp);
