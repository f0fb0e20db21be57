import type { z } from 'zod';
import { sentinelsByDay } from '../../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import { sentinelRoi } from '../../../../pipeline/artifacts/economy/sentinel-roi.ts';
import { sentinelStatus } from '../../../../pipeline/artifacts/government/sentinel-status.ts';
import { addDays } from '../../../../pipeline/charts/drawing/days.ts';
import { pageNames } from '../../../../pipeline/forms/catalogue/page-names.ts';
import { formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { formatList } from '../../../../pipeline/words/phrase.ts';
import { perRelease } from '../release.ts';
import { type Position, tally } from './deliberations.ts';

interface SentinelDay {
  date: string;
  sentinel: string;
  status: 'operational' | 'degraded' | 'offline';
  /** Hours. */
  longest_silence: number;
}

const DAYS = 90;

/** The uptime of one sentinel in the last 90 completed days; rows oldest first. */
export function uptimeSentences(id: string, rows: readonly SentinelDay[]): string[] {
  const last = rows.at(-1)?.date;
  if (last === undefined) return [];
  const own = rows.filter(({ sentinel, date }) => sentinel === id && date > addDays(last, -DAYS));
  if (own.length === 0) return [`${id} has no recorded day in the last ${DAYS}.`];
  const on = (status: SentinelDay['status']) => own.filter((day) => day.status === status).length;
  const parts = (['operational', 'degraded', 'offline'] as const)
    .filter((status) => on(status) > 0)
    .map((status) => `${status} on ${formatNumber(on(status))}`);
  const silence = Math.max(...own.map(({ longest_silence }) => longest_silence));
  return [
    `Of ${formatCount(own.length, 'day')}, ${id} was ${formatList(parts)}. Its longest silence was ${formatNumber(silence, { max: 1 })} hours.`,
  ];
}

const RANKS = ['highest', 'second highest', 'third highest'];

/** What stands out about a sentinel: its ranks, and how often it opposed. */
export function sentinelSentences(
  one: SentinelEntry,
  all: readonly SentinelEntry[],
  taken: readonly Position[],
): string[] {
  const active = all.filter(({ status }) => status !== 'retired');
  const facts = [
    ...ranked('coordination score', one, active, ({ coordination }) => coordination),
    ...ranked('integrity score', one, active, ({ gi_score }) => gi_score),
    ...ranked('ROI', one, active, ({ roi }) => roi),
  ];
  const since =
    one.status === 'retired' || one.uptime_days === 0
      ? `is ${one.status}`
      : `is ${one.status}, ${formatCount(one.uptime_days, 'day')} up`;
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

function stands({ id }: SentinelEntry, taken: readonly Position[]): string[] {
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
  /** Since it was registered or its last outage ended. */
  uptime_days: number;
  last_heartbeat: string;
  /** Share; null before the first attestation, like the coordination score, which is in points. */
  gi_score: number | null;
  coordination: number | null;
  /** MIC */
  total_rewards: number;
  multiplier: number;
  /** Null without a mint. */
  roi: number | null;
}

/** Every registered sentinel in the order of registration, from the public files. */
export const sentinelEntries = perRelease((release): SentinelEntry[] => {
  const { sentinels } = release.read(sentinelStatus);
  const earned = new Map(release.read(sentinelRoi).sentinels.map((one) => [one.id, one] as const));
  const names = pageNames(sentinels.map(({ id }) => id));
  return sentinels.map(({ id, performance, ...status }) => {
    const { total_rewards = 0, multiplier = 1, roi = null } = earned.get(id) ?? {};
    const { gi_score, coordination } = performance;
    const href = `/sentinels/${names.get(id)}/`;
    return { ...status, id, href, gi_score, coordination, total_rewards, multiplier, roi };
  });
});

/** The time of the data in `sentinelEntries`. */
export const sentinelsAsOf = perRelease((release) => release.read(sentinelStatus).timestamp);

/** The completed days of all sentinels, oldest first. */
export const sentinelDays = perRelease((release) => release.read(sentinelsByDay));
