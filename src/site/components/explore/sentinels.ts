import type { z } from 'zod';
import { sentinelsByDay } from '../../../../pipeline/artifacts/academics/sentinels-by-day.ts';
import { sentinelRoi } from '../../../../pipeline/artifacts/economy/sentinel-roi.ts';
import { sentinelStatus } from '../../../../pipeline/artifacts/government/sentinel-status.ts';
import { pageNames } from '../../../../pipeline/forms/catalogue/page-names.ts';
import { perRelease } from './per-release.ts';

type Status = z.output<typeof sentinelStatus.schema>['sentinels'][number]['status'];

export interface SentinelEntry {
  id: string;
  /** Of its page. */
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

/** Every sentinel ever registered, in the order of registration, as the public files have it. */
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

/** As of when they are, and how the system is as a whole. */
export const sentinelsAsOf = perRelease((release) => release.read(sentinelStatus).timestamp);

/** Whole days, oldest first. */
export const sentinelDays = perRelease((release) => release.read(sentinelsByDay));
