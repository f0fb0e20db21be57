import { SLOT_MS } from '../../ledger/events/slot.ts';
import { parseAmount, roundToAmount } from '../../model/amount.ts';
import { coordinationScore, reward } from '../../model/formulas.ts';
import { SENTINEL_IDS, SENTINEL_PROFILES, type SentinelId } from '../../model/sentinel-profiles.ts';
import { Random } from '../../random.ts';
import { DAY_MS } from '../../words/day.ts';
import { type Draft, draft } from '../agenda.ts';
import type { Volume } from '../volume.ts';
import { isActing, type Plan, randomOf, type Slot, type World } from '../world.ts';

/** Each sentinel attests at its own second of a round, after the index reading. */
const FIRST_SECOND = 62;
const LAST_SECOND = 290;
/** Rounds that are closer together than this compress those seconds. */
const ROUND_MS = 360_000;

/** Attestations of all acting sentinels, each followed by its mint unless minting is paused. */
export function attestations(world: World, volume: Volume): Plan {
  const offsets = new Random(world.seed, 'attestation seconds');
  const seconds = SENTINEL_IDS.map(() => offsets.whole(FIRST_SECOND, LAST_SECOND));
  return (slot) => {
    const random = randomOf(world, 'attestations', slot);
    const rounds = volume.rounds();
    const spacing = SLOT_MS / rounds;
    const works = SENTINEL_IDS.map((id) => workloadOf(world, id, slot));
    for (let round = 0; round < rounds; round += 1) {
      const start = slot.start + round * spacing;
      SENTINEL_IDS.forEach((id, index) => {
        const offset = (seconds[index]! + random.between(0, 8)) * 1000 * Math.min(1, spacing / ROUND_MS);
        attest(world, id, works[index]!, start + offset, random);
      });
    }
  };
}

interface Workload {
  apps: number;
  packages: number;
  workflows: number;
}

/** Grows over the first weeks with the registered software, then varies slightly from month to month. */
function workloadOf({ seed, genesis, texts }: World, id: SentinelId, { start }: Slot): Workload {
  const days = (start - genesis) / DAY_MS;
  const { apps, packages, workflows } = SENTINEL_PROFILES[id];
  const change = new Random(seed, 'workload', id, Math.floor(days / 30)).whole(-2, 1);
  return {
    apps: Math.min(apps, texts.software.apps.filter(({ day }) => day < days).length),
    packages: Math.min(packages, texts.software.packages.filter(({ day }) => day < days).length),
    workflows: Math.min(27, workflows + change, Math.floor(6 + days * 0.8)),
  };
}

function attest(world: World, id: SentinelId, work: Workload, at: number, random: Random): void {
  const wander = random.bell();
  let attested: number | null = null;
  world.agenda.add(at, (now) => {
    if (!isActing(world, id, now)) return null;
    const drift = round(Math.max(0, world.conditions[id].drift + wander * 0.04), 2);
    const gi_score = round(Math.min(1, world.conditions[id].gi + wander * 0.0015), 4);
    const uptime_days = Math.floor((now - world.facts.sentinels[id].upSince) / DAY_MS);
    const score = round(coordinationScore({ ...work, drift, uptime_days }), 4);
    attested = score;
    return draft('attestation', id, { ...work, drift, uptime_days, gi_score, score });
  });
  world.agenda.add(at + random.between(1, 5) * 1000, () =>
    attested === null ? null : mint(world, id, attested),
  );
}

function mint({ facts }: World, sentinel: SentinelId, score: number): Draft | null {
  if (!facts.minting) return null;
  const { cathedral } = SENTINEL_PROFILES[sentinel];
  const multiplier = facts.multipliers.get(cathedral)!;
  const amount = roundToAmount(reward(score, multiplier));
  facts.total += parseAmount(amount);
  return draft('mic_mint', 'MINT', { sentinel, cathedral, coordination_score: score, multiplier, amount });
}

/** Rounds to `places` decimals. */
function round(value: number, places: number): number {
  const unit = 10 ** places;
  return Math.round(value * unit) / unit;
}
