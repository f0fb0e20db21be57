import { cycleNumber } from '../../ledger/events/slot.ts';
import { SENTINEL_IDS, SENTINEL_PROFILES, type SentinelId } from '../../model/sentinel-profiles.ts';
import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import type { Draft } from '../agenda.ts';
import { activeAlerts, clear, raise } from '../alerts.ts';
import { type Plan, randomOf, type World } from '../world.ts';
import { penalise } from './treasury.ts';

/** Share of a deviation from the mean that remains one slot later. */
const MEMORY = 0.93;
const DRIFT_STEP = 0.11;
const GI_STEP = 0.0024;
/** Loss of gi_score for each point of additional drift. */
const GI_PER_DRIFT = 0.017;
const RAISE_FROM = 3.2;
const CLEAR_BELOW = 2.3;
/** Probability that an alert comes with a penalty. */
const PENALISED = 0.5;
/** Alerts come after the slot's index reading. */
const CHECK_AFTER_MS = 0.2 * HOUR_MS;

interface Episode {
  sentinel: SentinelId;
  from: number;
  until: number;
  peak: number;
}

/** Drift and gi_score fluctuate. Occasionally one sentinel drifts for a week or two, and WATCH raises an alert. */
export function drift(world: World): Plan {
  const offsets = Object.fromEntries(SENTINEL_IDS.map((id) => [id, { drift: 0, gi: 0 }]));
  const chance = new Random(world.seed, 'drift episodes');
  let episode = nextEpisode(chance, world.genesis + 8 * DAY_MS);
  return (slot) => {
    const random = randomOf(world, 'drift', slot);
    if (slot.start > episode.until) episode = nextEpisode(chance, slot.start + 14 * DAY_MS);
    for (const id of SENTINEL_IDS) {
      const offset = offsets[id]!;
      offset.drift = offset.drift * MEMORY + random.bell() * DRIFT_STEP;
      offset.gi = offset.gi * MEMORY + random.bell() * GI_STEP;
      const extra = episode.sentinel === id ? episode.peak * intensity(episode, slot.start) : 0;
      const { drift, gi } = SENTINEL_PROFILES[id];
      world.conditions[id].drift = Math.max(0, Math.min(10, drift + offset.drift + extra));
      world.conditions[id].gi = Math.max(0, Math.min(0.995, gi + offset.gi - extra * GI_PER_DRIFT));
    }
    world.agenda.add(slot.start + CHECK_AFTER_MS, (at) => check(world, random, at));
  };
}

function nextEpisode(random: Random, earliest: number): Episode {
  const from = earliest + random.between(0, 36) * DAY_MS;
  const sentinel = random.pick(SENTINEL_IDS);
  return { sentinel, from, until: from + random.between(6, 15) * DAY_MS, peak: random.between(2.6, 5.2) };
}

/** 0 outside the episode; rises over its first third, falls over its last half. */
function intensity({ from, until }: Episode, at: number): number {
  const progress = (at - from) / (until - from);
  if (progress <= 0 || progress >= 1) return 0;
  return smooth(Math.min(1, progress * 3)) * smooth(Math.min(1, (1 - progress) * 2));
}

function smooth(x: number): number {
  return x * x * (3 - 2 * x);
}

function check(world: World, random: Random, at: number): (Draft | null)[] {
  return SENTINEL_IDS.flatMap((id) => {
    const { drift } = world.conditions[id];
    const prefix = `drift-${id.toLowerCase()}-`;
    const [open] = activeAlerts(world, prefix);
    if (open !== undefined) return drift < CLEAR_BELOW ? [clear(world, open)] : [];
    const drifts = drift >= RAISE_FROM && world.facts.sentinels[id].registered;
    return drifts ? warn(world, id, `${prefix}${cycleNumber(at)}`, random) : [];
  });
}

function warn(world: World, sentinel: SentinelId, alert: string, random: Random): Draft[] {
  const { drift, gi } = world.conditions[sentinel];
  const message = `${sentinel} drifts: ${drift.toFixed(1)} of 10, gi_score ${gi.toFixed(3)}. Its method is under review.`;
  const raised = raise(world, 'WATCH', { alert, severity: 'warning', scope: 'drift', message, sentinel });
  return random.chance(PENALISED) ? [raised, ...penalise(world, random)] : [raised];
}
