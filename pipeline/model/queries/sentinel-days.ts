import { DAY_MS } from '../../words/day.ts';
import { ownMember } from '../own-member.ts';
import { allSentinels, type DayStatus, silenceOf, statusAfter } from '../sentinel-status.ts';
import type { State } from '../state.ts';
import { timeOf } from '../window.ts';

export interface SentinelDay {
  id: string;
  cathedral: string;
  /** The worst status of the day, from the longest silence. */
  status: DayStatus;
  heartbeats: number;
  /** Longest time in ms without a heartbeat, if it ended during the day or continued past its end. Null before the first heartbeat. */
  silence: number | null;
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
    .map((sentinel) => {
      const { id, cathedral, retired_at, score, gi_score } = sentinel;
      // To the end of the day, or to the retirement if that was during the day.
      const lasting = silenceOf(sentinel, retired_at === null ? start + DAY_MS : timeOf(retired_at));
      const silence = lasting === null ? null : Math.max(ownMember(state.day.silences, id) ?? 0, lasting);
      const heartbeats = ownMember(state.day.heartbeats, id) ?? 0;
      return { id, cathedral, status: statusAfter(silence), heartbeats, silence, score, gi_score };
    });
}
