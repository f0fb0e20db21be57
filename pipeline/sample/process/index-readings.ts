import { cycleNumber } from '../../ledger/events/slot.ts';
import { amountToNumber } from '../../model/amount.ts';
import { miiThreshold } from '../../model/formulas.ts';
import { SENTINEL_IDS, SENTINEL_PROFILES } from '../../model/sentinel-profiles.ts';
import { HOUR_MS } from '../../model/window.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { type Draft, draft } from '../agenda.ts';
import { activeAlerts, clear, raise } from '../alerts.ts';
import { isSilent, type Plan, randomOf, type World } from '../world.ts';

const MEAN = 0.9595;
/** Share of a deviation from the mean that remains one slot later. */
const MEMORY = 0.95;
const STEP = 0.0013;
const NOISE = 0.0008;
const PER_SILENT_SENTINEL = 0.0022;
/** For each point of drift above a sentinel's mean. */
const PER_DRIFT = 0.0009;
/** Time of the reading in its slot, before the attestations whose mints depend on it. */
const AT_MS = [40_000, 55_000] as const;
const ALERT = 'minting-paused-';

/** A period in which the index falls below its threshold. */
interface Dip {
  from: number;
  until: number;
  /** Greatest distance from the threshold. */
  depth: number;
}

/** One reading of the integrity index in each slot, and an alert while minting is paused. */
export function indexReadings(world: World): Plan {
  const dips = new Random(world.seed, 'dips');
  let dip = nextDip(dips, world.genesis + 10 * DAY_MS);
  let offset = 0;
  return (slot) => {
    const random = randomOf(world, 'index', slot);
    if (slot.start > dip.until) dip = nextDip(dips, slot.start + 16 * DAY_MS);
    offset = offset * MEMORY + random.bell() * STEP;
    const free = MEAN + offset + random.bell() * NOISE;
    const fall = depthAt(dip, slot.start);
    world.agenda.add(slot.start + random.between(...AT_MS), (at) => read(world, free, fall, at));
  };
}

function nextDip(random: Random, earliest: number): Dip {
  const from = earliest + random.between(0, 34) * DAY_MS;
  const hours = random.chance(0.3) ? random.between(48, 100) : random.between(8, 36);
  return { from, until: from + hours * HOUR_MS, depth: random.between(0.0015, 0.013) };
}

/** The share of the dip's depth at this time; null outside the dip. */
function depthAt({ from, until, depth }: Dip, at: number): { share: number; depth: number } | null {
  const progress = (at - from) / (until - from);
  if (progress < 0 || progress > 1) return null;
  return { share: 1 - (2 * progress - 1) ** 2 * 0.6, depth };
}

function read(world: World, free: number, fall: ReturnType<typeof depthAt>, at: number) {
  const { facts } = world;
  const threshold = miiThreshold(amountToNumber(facts.total));
  const low = fall ? threshold - fall.depth * fall.share : 1;
  const mii = Math.round(Math.min(0.99, free - strain(world, at), low) * 1e4) / 1e4;
  facts.minting = mii >= threshold;
  return [draft('mii_reading', 'MII', { mii }), watch(world, mii, threshold, at)];
}

/** Loss of the index due to silent and drifting sentinels. */
function strain(world: World, at: number): number {
  let sum = 0;
  for (const id of SENTINEL_IDS) {
    if (isSilent(world, id, at)) sum += PER_SILENT_SENTINEL;
    sum += Math.max(0, world.conditions[id].drift - SENTINEL_PROFILES[id].drift) * PER_DRIFT;
  }
  return sum;
}

function watch(world: World, mii: number, threshold: number, at: number): Draft | null {
  const [open] = activeAlerts(world, ALERT);
  if (mii >= threshold) return open === undefined ? null : clear(world, open);
  if (open !== undefined) return null;
  const message = `The integrity index, ${mii}, is below its threshold of ${threshold.toFixed(4)}. Minting is paused.`;
  const severity = threshold - mii < 0.002 ? 'warning' : 'critical';
  return raise(world, 'WATCH', { alert: `${ALERT}${cycleNumber(at)}`, severity, scope: 'economy', message });
}
