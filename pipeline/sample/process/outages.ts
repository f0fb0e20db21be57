import { cycleNumber } from '../../ledger/events/slot.ts';
import { SENTINEL_IDS, type SentinelId } from '../../model/sentinel-profiles.ts';
import { HOUR_MS } from '../../model/window.ts';
import type { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import type { Draft } from '../agenda.ts';
import { activeAlerts, clear, raise } from '../alerts.ts';
import { isSilent, type Plan, randomOf, type Slot, type World } from '../world.ts';
import { penalise } from './treasury.ts';

const MINUTE_MS = 60_000;
/** No sentinel falls silent in the first days. */
const QUIET_AT_FIRST_MS = 3 * DAY_MS;
/** Shortest time between two silences of one sentinel. */
const REST_MS = 6 * DAY_MS;
/** A day without a heartbeat is an outage. After three days it is critical, and costs the sentinel a part of its bond. */
const ALARM_MS = 24 * HOUR_MS;
const CRITICAL_MS = 72 * HOUR_MS;
const CHECK_AFTER_MS = 2 * HOUR_MS;

/** Probability in one slot, and length. The last heartbeat can be three hours older than the silence. */
const LAPSE = { chance: 1 / 340, hours: [11, 20] } as const;
const OUTAGE = { chance: 1 / 560, hours: [25, 60] } as const;
const LONG_OUTAGE = { chance: 1 / 3400, hours: [75, 190] } as const;
/** Silences several sentinels at once. */
const REGIONAL = { chance: 1 / 800, sentinels: 4, hours: [25, 38] } as const;

/** Silences of sentinels, and the alerts that WATCH raises for outages. */
export function outages(world: World): Plan {
  return (slot) => {
    if (slot.start - world.genesis < QUIET_AT_FIRST_MS) return;
    world.agenda.add(slot.start + CHECK_AFTER_MS, (at) => clearStale(world, at));
    const random = randomOf(world, 'outages', slot);
    const region = random.chance(REGIONAL.chance)
      ? random.shuffled(SENTINEL_IDS).slice(0, REGIONAL.sentinels)
      : [];
    for (const id of SENTINEL_IDS) {
      const hours = region.includes(id) ? REGIONAL.hours : lengthOf(random);
      if (hours) fallSilent(world, id, slot, random, random.between(...hours) * HOUR_MS);
    }
  };
}

function lengthOf(random: Random): readonly [number, number] | undefined {
  const draw = random.share();
  let bound = 0;
  for (const { chance, hours } of [LONG_OUTAGE, OUTAGE, LAPSE]) {
    bound += chance;
    if (draw < bound) return hours;
  }
  return undefined;
}

function fallSilent(world: World, id: SentinelId, slot: Slot, random: Random, length: number): void {
  const from = slot.start + random.between(0, slot.end - slot.start);
  const condition = world.conditions[id];
  if (from < condition.silentUntil + REST_MS) return;
  condition.silentFrom = from;
  condition.silentUntil = Math.floor((from + length) / 1000) * 1000;
  const alert = `outage-${id.toLowerCase()}-${cycleNumber(from)}`;
  const delay = random.between(1, 8) * MINUTE_MS;
  const { agenda } = world;
  if (length > ALARM_MS) agenda.add(from + ALARM_MS + delay, (at) => alarm(world, id, alert, 'warning', at));
  if (length > CRITICAL_MS)
    agenda.add(from + CRITICAL_MS + delay, (at) => alarm(world, id, alert, 'critical', at));
  if (length > ALARM_MS) agenda.add(from + length + delay, () => end(world, alert, length, random));
}

function alarm(
  world: World,
  sentinel: SentinelId,
  alert: string,
  severity: 'warning' | 'critical',
  at: number,
): Draft | null {
  const { registered, lastHeartbeat } = world.facts.sentinels[sentinel];
  if (!registered || !isSilent(world, sentinel, at) || at - lastHeartbeat <= ALARM_MS) return null;
  const hours = Math.floor((at - lastHeartbeat) / HOUR_MS);
  const message =
    severity === 'warning'
      ? `No heartbeat of ${sentinel} for ${hours} hours. Its uptime starts again when it returns.`
      : `${sentinel} has been silent for ${hours} hours. Its work is looked after by the rest of its cathedral.`;
  return raise(world, 'WATCH', { alert, severity, scope: 'sentinel', message, sentinel });
}

/** Clears outages that this run did not plan: a feeder can find them in a ledger of another seed or volume. */
function clearStale(world: World, at: number): (Draft | null)[] {
  const { sentinels } = world.facts;
  const alive = SENTINEL_IDS.filter((id) => at - sentinels[id].lastHeartbeat < CHECK_AFTER_MS * 2);
  const stale = alive.flatMap((id) => activeAlerts(world, `outage-${id.toLowerCase()}-`));
  return stale.map((alert) => clear(world, alert));
}

function end(world: World, alert: string, length: number, random: Random): Draft[] | null {
  const cleared = clear(world, alert);
  return cleared && (length > CRITICAL_MS ? [cleared, ...penalise(world, random)] : [cleared]);
}
