import { own } from '../own.ts';
import { allSentinels, type SentinelStatus, statusAfter } from '../sentinel-status.ts';
import type { SentinelState, State } from '../state.ts';
import { DAY_MS, timeOf } from '../window.ts';

export interface SentinelDay {
  id: string;
  cathedral: string;
  /** Of the longest silence: the worst that the sentinel was on that day. */
  status: Exclude<SentinelStatus, 'retired'>;
  heartbeats: number;
  /** Longest time in ms without a heartbeat that ended in the day, or that lasted at its end. */
  silence: number;
  /** In points, of the last attestation. */
  score: number | null;
  gi_score: number | null;
}

/**
 * Of the state's day, which must be over: each sentinel that was registered and not retired before the day, in the
 * order of registration. The status at one moment would miss an outage that was over by then.
 */
export function sentinelDays(state: State): SentinelDay[] {
  const start = timeOf(state.day.date);
  return allSentinels(state)
    .filter(({ retired_at }) => retired_at === null || timeOf(retired_at) >= start)
    .map(({ id, cathedral, score, gi_score, ...rest }) => {
      const silence = Math.max(own(state.day.silences, id) ?? 0, lastingSilence(rest, start + DAY_MS));
      const heartbeats = own(state.day.heartbeats, id) ?? 0;
      return { id, cathedral, status: statusAfter(silence), heartbeats, silence, score, gi_score };
    });
}

/** Since the last heartbeat, up to the end of the day or to the retirement in it. */
function lastingSilence(
  { last_heartbeat, retired_at }: Pick<SentinelState, 'last_heartbeat' | 'retired_at'>,
  end: number,
): number {
  return (retired_at === null ? end : timeOf(retired_at)) - timeOf(last_heartbeat);
}
