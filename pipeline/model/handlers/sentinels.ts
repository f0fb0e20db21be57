import type { EventOf } from '../../ledger/events/event.ts';
import { addFinding } from '../finding.ts';
import { coordinationScore } from '../formulas.ts';
import { ownMember } from '../own-member.ts';
import { hourOf, monthOf } from '../period.ts';
import { activeSentinels, OFFLINE_AFTER_MS, silenceOf } from '../sentinel-status.ts';
import type { State } from '../state.ts';
import { timeOf } from '../window.ts';

/** Ledgers record scores with at least four decimal places. */
const SCORE_TOLERANCE = 0.0001;

export function sentinelRegistered(state: State, event: EventOf<'sentinel_registered'>): void {
  const { sentinel: id, cathedral } = event.data;
  const known = ownMember(state.sentinels, id);
  const isActive = known !== undefined && known.retired_at === null;
  if (isActive) addFinding(state, event, `${id} is already registered`, id);
  state.sentinels[id] = {
    cathedral,
    registered_at: event.timestamp,
    retired_at: null,
    last_heartbeat: isActive ? known.last_heartbeat : null,
    up_since: isActive ? known.up_since : event.timestamp,
    score: known?.score ?? null,
    gi_score: known?.gi_score ?? null,
    minted: known?.minted ?? 0n,
    mints: known?.mints ?? 0,
  };
}

export function sentinelRetired(state: State, event: EventOf<'sentinel_retired'>): void {
  const { sentinel: id } = event.data;
  const sentinel = ownMember(state.sentinels, id);
  if (sentinel) sentinel.retired_at = event.timestamp;
  else addFinding(state, event, `retirement of ${id}, which is not registered`, id);
}

export function heartbeat(state: State, event: EventOf<'heartbeat'>): void {
  const sentinel = ownMember(state.sentinels, event.agent);
  if (!sentinel) {
    addFinding(state, event, `heartbeat from ${event.agent}, which is not registered`, event.agent);
    return;
  }
  if (sentinel.retired_at !== null) {
    addFinding(state, event, `heartbeat from ${event.agent}, which is retired`, event.agent);
    return;
  }
  const now = timeOf(event.timestamp);
  const silence = silenceOf(sentinel, now);
  const { heartbeats, silences } = state.day;
  heartbeats[event.agent] = (ownMember(heartbeats, event.agent) ?? 0) + 1;
  silences[event.agent] = Math.max(ownMember(silences, event.agent) ?? 0, silence ?? 0);
  // Before the first heartbeat there was no outage, since nobody knew that it was up; but days of waiting for it are no uptime.
  if ((silence ?? now - timeOf(sentinel.registered_at)) > OFFLINE_AFTER_MS) {
    sentinel.up_since = event.timestamp;
    if (silence !== null) state.year.outages += 1;
  }
  sentinel.last_heartbeat = event.timestamp;
}

export function attestation(state: State, event: EventOf<'attestation'>): void {
  const { score, gi_score } = event.data;
  const expected = coordinationScore(event.data);
  if (Math.abs(score - expected) > SCORE_TOLERANCE) {
    addFinding(
      state,
      event,
      `attested score ${score}, but the score formula gives ${expected.toFixed(4)}`,
      event.agent,
    );
  }
  const sentinel = ownMember(state.sentinels, event.agent);
  if (sentinel) {
    sentinel.score = score;
    sentinel.gi_score = gi_score;
  } else addFinding(state, event, `attestation from ${event.agent}, which is not registered`, event.agent);
  const hour = hourOf(state);
  hour.attestations += 1;
  hour.gi_score += gi_score;
  hour.score += score;
  monthOf(state).attestations += 1;
  state.year.attestations += 1;
}

export function miiReading(state: State, event: EventOf<'mii_reading'>): void {
  const { mii } = event.data;
  state.mii = mii;
  state.readings.push({
    timestamp: event.timestamp,
    mii,
    cycle: event.cycle,
    sentinel_count: activeSentinels(state).length,
  });
  const month = monthOf(state);
  month.mii_sum += mii;
  month.mii_readings += 1;
  month.mii_min = Math.min(month.mii_min ?? 1, mii);
  const { day } = state;
  day.mii_sum += mii;
  day.readings += 1;
  day.mii_min = Math.min(day.mii_min ?? 1, mii);
  day.mii_max = Math.max(day.mii_max ?? 0, mii);
}

export function appRegistered(state: State, event: EventOf<'app_registered'>): void {
  const { name, version, status } = event.data;
  state.apps[name] = { version, status, registered_at: event.timestamp };
}

export function packageRegistered(state: State, event: EventOf<'package_registered'>): void {
  const { name, version, status } = event.data;
  state.packages[name] = { version, status, registered_at: event.timestamp };
}
