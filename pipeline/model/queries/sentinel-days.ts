import { DAY_MS } from '../../words/day.ts';
import { ownMember } from '../own-member.ts';
import { allSentinels, type SentinelStatus, statusAfter } from '../sentinel-status.ts';
import type { SentinelState, State } from '../state.ts';
import { timeOf } from '../window.ts';

export interface SentinelDay {
  id: string;
  cathedral: string;
  /** The worst status of the day, from the longest silence. */
  status: Exclude<SentinelStatus, 'retired'>;
  heartbeats: number;
  /** Longest time in ms without a heartbeat, if it ended during the day or continued past its end. */
  silence: number;
  /** Score of the last attestation, in points. */
  score: number | null;
  gi_score: number | null;
}

/**
 * Each sentinel that was not retired before the state's day, in order of registration. The day must be over. Covers the whole day,
 * because the status at one moment would miss an outage that had already ended.
 */
export function sentinelDays(state: State): SentinelDay[] {
  const start = timeOf(state.day.date);
  return allSentinels(state)
    .filter(({ retired_at }) => retired_at === null || timeOf(retired_at) >= start)
    .map(({ id, cathedral, score, gi_score, ...rest }) => {
      const silence = Math.max(ownMember(state.day.silences, id) ?? 0, lastingSilence(rest, start + DAY_MS));
      const heartbeats = ownMember(state.day.heartbeats, id) ?? 0;
      return { id, cathedral, status: statusAfter(silence), heartbeats, silence, score, gi_score };
    });
}

/** From the last heartbeat to the end of the day, or to the retirement if that was during the day. */
function lastingSilence(
  { last_heartbeat, retired_at }: Pick<SentinelState, 'last_heartbeat' | 'retired_at'>,
  end: number,
): number {
  return (retired_at === null ? end : timeOf(retired_at)) - timeOf(last_heartbeat);
}
