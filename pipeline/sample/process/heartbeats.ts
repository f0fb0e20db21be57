import { SENTINEL_IDS, type SentinelId } from '../../model/sentinel-profiles.ts';
import { DAY_MS } from '../../model/window.ts';
import { draft } from '../agenda.ts';
import type { Volume } from '../volume.ts';
import { isSilent, type Process, randomOf, type World } from '../world.ts';

/** A sign of life every few hours, also at once when a silence ends. Planned last: it fills what the volume leaves. */
export function heartbeats(world: World, volume: Volume): Process {
  const next = new Map<SentinelId, number>();
  return (slot) => {
    const random = randomOf(world, 'heartbeats', slot);
    const active = SENTINEL_IDS.filter((id) => !isSilent(world, id, slot.start)).length;
    const interval = volume.heartbeatInterval(slot, world.agenda.planned, active);
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

export function beat({ facts }: World, id: SentinelId, at: number) {
  const sentinel = facts.sentinels[id];
  if (!sentinel.registered) return null;
  if (at - sentinel.lastHeartbeat > DAY_MS) sentinel.upSince = at;
  sentinel.lastHeartbeat = at;
  return draft('heartbeat', id, {});
}
