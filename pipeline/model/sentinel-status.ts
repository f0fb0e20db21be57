import { DAY_MS } from '../words/day.ts';
import type { SentinelState, State } from './state.ts';
import { HOUR_MS, timeOf } from './window.ts';

const OPERATIONAL_WITHIN_MS = 12 * HOUR_MS;
/** A longer silence is an outage. */
export const OFFLINE_AFTER_MS = 24 * HOUR_MS;

/** Best first; before its first heartbeat, a sentinel is none of these. */
export const UP_STATUSES = ['operational', 'degraded', 'offline'] as const;
export const NO_HEARTBEAT_YET = 'no_heartbeat_yet';
export type DayStatus = (typeof UP_STATUSES)[number] | typeof NO_HEARTBEAT_YET;
export type SentinelStatus = DayStatus | 'retired';

/** Relative to `asOf`, the time of the data, never to the clock. */
export function sentinelStatus(sentinel: SentinelState, asOf: string): SentinelStatus {
  if (sentinel.retired_at !== null) return 'retired';
  return statusAfter(silenceOf(sentinel, timeOf(asOf)));
}

/** Time in ms from the last heartbeat to `at`. Null before the first. */
export function silenceOf({ last_heartbeat }: SentinelState, at: number): number | null {
  return last_heartbeat === null ? null : at - timeOf(last_heartbeat);
}

/** The status after `silence` ms without a heartbeat. */
export function statusAfter(silence: number | null): DayStatus {
  if (silence === null) return NO_HEARTBEAT_YET;
  if (silence <= OPERATIONAL_WITHIN_MS) return 'operational';
  return silence <= OFFLINE_AFTER_MS ? 'degraded' : 'offline';
}

/** Whole days since registration or the end of the last long silence. Null before the first heartbeat; 0 while offline and after retirement. */
export function uptimeDays(sentinel: SentinelState, asOf: string): number | null {
  if (sentinel.last_heartbeat === null) return null;
  const status = sentinelStatus(sentinel, asOf);
  if (status === 'offline' || status === 'retired') return 0;
  return Math.floor((timeOf(asOf) - timeOf(sentinel.up_since)) / DAY_MS);
}

/** Ids and entries of the sentinels that are not retired, in order of registration. */
export function activeSentinels(state: State): (SentinelState & { id: string })[] {
  return allSentinels(state).filter((sentinel) => sentinel.retired_at === null);
}

export function allSentinels(state: State): (SentinelState & { id: string })[] {
  return Object.entries(state.sentinels).map(([id, sentinel]) => ({ id, ...sentinel }));
}
