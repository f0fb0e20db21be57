import type { SentinelState, State } from './state.ts';
import { DAY_MS, HOUR_MS, timeOf } from './window.ts';

const OPERATIONAL_WITHIN_MS = 12 * HOUR_MS;
/** Longer than this without a heartbeat is an outage. */
export const OFFLINE_AFTER_MS = 24 * HOUR_MS;

export type SentinelStatus = 'operational' | 'degraded' | 'offline' | 'retired';

/** Relative to `asOf`, the data's own time, never to the clock. */
export function sentinelStatus(sentinel: SentinelState, asOf: string): SentinelStatus {
  if (sentinel.retired_at !== null) return 'retired';
  return statusAfter(timeOf(asOf) - timeOf(sentinel.last_heartbeat));
}

/** After so many ms without a heartbeat. */
export function statusAfter(silence: number): Exclude<SentinelStatus, 'retired'> {
  if (silence <= OPERATIONAL_WITHIN_MS) return 'operational';
  return silence <= OFFLINE_AFTER_MS ? 'degraded' : 'offline';
}

/** Whole days since registration or since the last outage ended; 0 while offline and after retirement. */
export function uptimeDays(sentinel: SentinelState, asOf: string): number {
  const status = sentinelStatus(sentinel, asOf);
  if (status === 'offline' || status === 'retired') return 0;
  return Math.floor((timeOf(asOf) - timeOf(sentinel.up_since)) / DAY_MS);
}

/** Registered and not retired, with its id, in the order of registration. */
export function activeSentinels(state: State): (SentinelState & { id: string })[] {
  return allSentinels(state).filter((sentinel) => sentinel.retired_at === null);
}

export function allSentinels(state: State): (SentinelState & { id: string })[] {
  return Object.entries(state.sentinels).map(([id, sentinel]) => ({ id, ...sentinel }));
}
