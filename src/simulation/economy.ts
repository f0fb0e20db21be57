import { coordinationScore, gini, miiThreshold, reward } from '../../pipeline/model/formulas.ts';
import { noted } from './change.ts';
import type { Draws } from './draws.ts';
import { heardBy, influenceMatrix } from './opinions.ts';
import { clamp, roundTo6 } from './round-to-6.ts';
import type { ByVirtue, Conditions, Sentinel, Stocks, World } from './world.ts';

/** Millionths per MIC. */
export const MICRO = 1e6;

/** `4,012,345`, from millionths of a MIC. Not Intl, whose data differ between engines. */
export function formatMic(micro: number): string {
  return Math.round(micro / MICRO)
    .toFixed(0)
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

export function inMic(millionths: number): number {
  return roundTo6(millionths / MICRO);
}

/** What one point of drift above the usual value costs of gi. */
const GI_PER_DRIFT = 0.02;
/** Random drift: at most this in either direction per tick. */
const NOISE = 0.1;

/** One day of the economy: updates drift, scores and gi; then mints, locks, unlocks and burns; unpaid sentinels may leave. */
export function advanceEconomy(world: World, draws: Draws): World {
  const { sentinels, economy, levers } = world;
  const conditions = attest(world, draws);
  const mii = integrityIndex(sentinels, conditions.gi, economy.strain);
  const threshold = thresholdOf(economy);
  const isMinting = mii >= threshold && levers.mint_share > 0;
  const reward = rewards(world, conditions, isMinting ? levers.mint_share : 0, economy.multipliers);
  const unpaid = conditions.unpaid.map((ticks, i) => {
    if (!isMinting) return ticks + 1;
    return sentinels[i]!.isOnline ? 0 : ticks;
  });
  return comeAndGo({
    ...world,
    conditions: {
      ...conditions,
      reward,
      minted: conditions.minted.map((all, i) => all + reward[i]!),
      unpaid,
    },
    economy: {
      ...economy,
      ...moveStocks(economy, reward, levers),
      ...{ mii, threshold, isMinting },
      strain: clamp(roundTo6(economy.strain * (1 - levers.mending) + levers.strain_rate), 0, 1),
      stopped: economy.stopped + (isMinting ? 0 : 1),
    },
    unchanged: advanceUnchanged(world, conditions, mii),
  });
}

function thresholdOf({ total }: Stocks): number {
  return roundTo6(miiThreshold(total / MICRO));
}

/** Drift changes by chance, regression to the usual value, pressure and contagion. gi and score follow from it. */
function attest(world: World, draws: Draws): Conditions {
  const { sentinels, conditions, levers } = world;
  const spread = contagion(world);
  const drift = conditions.drift.slice();
  const uptime = conditions.uptime.slice();
  const gi = conditions.gi.slice();
  const score = conditions.score.slice();
  for (let i = 0; i < sentinels.length; i += 1) {
    const { isOnline, usualDrift, usualGi, pressure, apps, packages, workflows } = sentinels[i]!;
    // Draw for offline sentinels too, so that the draws of the others do not depend on them.
    const chance = NOISE * (2 * draws() - 1);
    if (!isOnline) {
      score[i] = 0;
      continue;
    }
    const before = conditions.drift[i]!;
    const back = levers.recovery * (usualDrift - before);
    const now = clamp(roundTo6(before + chance + back + pressure + spread(i)), 0, 10);
    const uptime_days = conditions.uptime[i]! + 1;
    drift[i] = now;
    uptime[i] = uptime_days;
    gi[i] = clamp(roundTo6(usualGi - GI_PER_DRIFT * (now - usualDrift)), 0, 1);
    score[i] = roundTo6(coordinationScore({ apps, packages, workflows, drift: now, uptime_days }));
  }
  return { ...conditions, drift, uptime, gi, score };
}

/** The drift that sentinel i adopts from those that influence it. */
function contagion({ sentinels, conditions, levers }: World): (i: number) => number {
  if (levers.contagion === 0) return () => 0;
  const { drift } = conditions;
  const matrix = influenceMatrix(sentinels, levers);
  return (i) => levers.contagion * (heardBy(i, matrix, drift) - drift[i]!);
}

/** Mean `gi` of the online sentinels minus the strain; 0 if none is online. */
export function integrityIndex(
  sentinels: readonly Sentinel[],
  gi: readonly number[],
  strain: number,
): number {
  let sum = 0;
  let count = 0;
  for (let i = 0; i < gi.length; i += 1) {
    if (!sentinels[i]!.isOnline) continue;
    sum += gi[i]!;
    count += 1;
  }
  return count === 0 ? 0 : clamp(roundTo6(sum / count - strain), 0, 1);
}

/** What each sentinel that is online earns by its score; millionths of a MIC. `share`: of the reward formula. */
function rewards(
  { sentinels }: World,
  { score }: Conditions,
  share: number,
  multipliers: World['economy']['multipliers'],
): number[] {
  return sentinels.map(({ isOnline, cathedral }, i) =>
    isOnline ? Math.round(reward(score[i]!, multipliers[cathedral] ?? 1) * share * MICRO) : 0,
  );
}

function advanceUnchanged(world: World, conditions: Conditions, mii: number): World['unchanged'] {
  const { unchanged } = world;
  const share = mii >= thresholdOf(unchanged) ? unchanged.levers.mint_share : 0;
  const paid = rewards(world, conditions, share, unchanged.multipliers);
  return {
    ...unchanged,
    ...moveStocks(unchanged, paid, unchanged.levers),
    minted: unchanged.minted.map((all, i) => all + paid[i]!),
  };
}

/** Minted MIC either circulates or is locked. Each transfer moves MIC between two stocks. */
function moveStocks(from: Stocks, paid: readonly number[], levers: World['unchanged']['levers']): Stocks {
  const minted = paid.reduce((sum, amount) => sum + amount, 0);
  const lock = Math.floor(minted * levers.lock_share);
  const free = Math.floor(from.locked * levers.unlock_rate);
  const circulating = from.circulating + minted - lock + free;
  const burn = Math.floor(circulating * levers.burn_rate);
  return {
    total: from.total + minted,
    circulating: circulating - burn,
    locked: from.locked + lock - free,
    burned: from.burned + burn,
  };
}

/** Cost of each departing sentinel to the integrity index, because its work is left undone. */
const LEAVING_STRAIN = 0.01;
/** Patience varies: a third of the sentinels leaves as soon as it ends, the others one or two cycles later. */
const PATIENCE_STEPS = 3;

/** Sentinels without a reward for too long go offline. During minting, one per cycle returns. */
function comeAndGo(world: World): World {
  const { patience } = world.levers;
  if (patience === 0) return world;
  const leaving = world.sentinels.filter(
    ({ isOnline }, i) => isOnline && world.conditions.unpaid[i]! >= patience + (i % PATIENCE_STEPS),
  );
  const back = world.economy.isMinting
    ? world.sentinels.filter(({ isOnline, isRecused }) => !isOnline && !isRecused).slice(0, 1)
    : [];
  if (leaving.length + back.length === 0) return world;
  const strain = clamp(roundTo6(world.economy.strain + LEAVING_STRAIN * leaving.length), 0, 1);
  return {
    ...world,
    sentinels: world.sentinels.map((sentinel) => {
      const turns = leaving.includes(sentinel) || back.includes(sentinel);
      return turns ? { ...sentinel, isOnline: !sentinel.isOnline } : sentinel;
    }),
    // An outage restarts the days of uptime.
    conditions: {
      ...world.conditions,
      uptime: world.conditions.uptime.map((days, i) => (back.includes(world.sentinels[i]!) ? 0 : days)),
      unpaid: world.conditions.unpaid.map((ticks, i) => (back.includes(world.sentinels[i]!) ? 0 : ticks)),
    },
    economy: { ...world.economy, strain },
    log: noted(
      world,
      ...leaving.map(({ id }) => `${id} has gone without a reward for too long and goes offline.`),
      ...back.map(({ id }) => `${id} comes back online.`),
    ),
  };
}

/**
 * The assembly's virtues in [0, 1], after the virtue metrics: integrity is the MII; temperance the remaining share of the time
 * box; justice 1 − Gini of minted MIC ÷ multiplier; prudence the share of known risks that were addressed; courage the share of
 * dissents that were heard, or 1 without a dissent.
 */
export function communityVirtues(world: World): ByVirtue {
  const { deliberation, economy, risks, conditions, sentinels } = world;
  const minted = conditions.minted.map(
    (amount, i) => amount / MICRO / (economy.multipliers[sentinels[i]!.cathedral] ?? 1),
  );
  return {
    integrity: economy.mii,
    temperance: roundTo6(clamp(1 - (deliberation.round - 1) / deliberation.rounds, 0, 1)),
    justice: roundTo6(1 - gini(minted)),
    prudence: risks.known === 0 ? 1 : roundTo6(clamp(risks.mitigated / risks.known, 0, 1)),
    courage: deliberation.dissent === 'overridden' ? 0 : 1,
  };
}
