import { SENTINEL_IDS, type SentinelId } from '../../model/sentinel-profiles.ts';
import { DAY_MS } from '../../words/day.ts';
import { type Draft, draft } from '../agenda.ts';
import type { Volume } from '../volume.ts';
import { isSilent, type Plan, randomOf, type World } from '../world.ts';

/** Heartbeats every few hours and at the end of each silence. Planned last, to fill what the volume leaves. */
export function heartbeats(world: World, volume: Volume): Plan {
  const next = new Map<SentinelId, number>();
  return (slot) => {
    const random = randomOf(world, 'heartbeats', slot);
    const active = SENTINEL_IDS.filter((id) => !isSilent(world, id, slot.start)).length;
    const interval = volume.heartbeatInterval(slot, world.agenda.countBefore(slot.end), active);
    for (const id of SENTINEL_IDS) {
      let at = next.get(id) ?? slot.start + random.between(0, interval);
      while (at < slot.end) {
        if (isSilent(world, id, at)) at = world.conditions[id].silentUntil;
        else {
          world.agenda.add(at, (now) => beat(world, id, now));
          at += interval * random.between(0.8, 1.2);
        }
      }
      next.set(id, at);
    }
  };
}

/** A heartbeat; null for a sentinel that is not registered. */
export function beat({ facts }: World, id: SentinelId, at: number): Draft | null {
  const sentinel = facts.sentinels[id];
  if (!sentinel.registered) return null;
  if (at - sentinel.lastHeartbeat > DAY_MS) sentinel.upSince = at;
  sentinel.lastHeartbeat = at;
  return draft('heartbeat', id, {});
}
