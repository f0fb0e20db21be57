import { coordinationScore, miiThreshold, reward } from '../../pipeline/model/formulas.ts';
import type { Draws } from './draws.ts';
import { influenceMatrix } from './influence.ts';
import { clamp, sixPlaces } from './six-places.ts';
import type { Condition, Economy, Sentinel, World } from './world.ts';

/** Millionths in a MIC. */
export const MICRO = 1e6;
/** What one point of drift above the usual costs of gi. */
const GI_PER_DRIFT = 0.02;
/** Drift by chance: at most this in either direction per tick. */
const NOISE = 0.1;

/** One day of the economy: drift, scores and gi move; then is minted, locked, freed and burned; who is unpaid may leave. */
export function advanceEconomy(world: World, draws: Draws): World {
  const conditions = attest(world, draws);
  const mii = integrityIndex(world.sentinels, conditions, world.economy.strain);
  const threshold = sixPlaces(miiThreshold(world.economy.total / MICRO));
  const isMinting = mii >= threshold && world.levers.mint_share > 0;
  const paid = isMinting ? mint(world, conditions) : conditions.map(unpaid);
  const minted = paid.reduce((sum, one) => sum + one.reward, 0);
  const stocks = moveStocks(world.economy, minted, world.levers);
  const { strain_rate, mending } = world.levers;
  const strain = clamp(sixPlaces(world.economy.strain * (1 - mending) + strain_rate), 0, 1);
  const stopped = world.economy.stopped + (isMinting ? 0 : 1);
  const economy = { ...world.economy, ...stocks, mii, threshold, isMinting, strain, stopped };
  return comeAndGo({ ...world, conditions: paid, economy });
}

/** Drift moves by chance, towards the usual, by pressure and by contagion; gi and score follow from it. */
function attest(world: World, draws: Draws): Condition[] {
  const spread = contagion(world);
  return world.conditions.map((condition, i) => {
    const sentinel = world.sentinels[i]!;
    // Drawn for who is offline, too: else the draws of the others would be other ones.
    const chance = NOISE * (2 * draws() - 1);
    if (!sentinel.isOnline) return { ...condition, score: 0 };
    const back = world.levers.recovery * (sentinel.usualDrift - condition.drift);
    const drift = clamp(sixPlaces(condition.drift + chance + back + sentinel.pressure + spread(i)), 0, 10);
    const gi = clamp(sixPlaces(sentinel.usualGi - GI_PER_DRIFT * (drift - sentinel.usualDrift)), 0, 1);
    const uptime = condition.uptime + 1;
    const { apps, packages, workflows } = sentinel;
    const score = sixPlaces(coordinationScore({ apps, packages, workflows, drift, uptime_days: uptime }));
    // Spelt out, as below: a copy with `...` takes several times as long.
    const { opinion, innate, reward, minted, unpaid } = condition;
    return { opinion, innate, drift, uptime, gi, score, reward, minted, unpaid };
  });
}

/** What sentinel i takes over of the drift of those it goes by. */
function contagion({ sentinels, conditions, levers }: World): (i: number) => number {
  if (levers.contagion === 0) return () => 0;
  const matrix = influenceMatrix(sentinels, levers);
  const size = sentinels.length;
  return (i) => {
    let heard = 0;
    for (let j = 0; j < size; j += 1) heard += matrix[i * size + j]! * conditions[j]!.drift;
    return levers.contagion * (heard - conditions[i]!.drift);
  };
}

/** Mean gi of who is online, less the strain; 0 where nobody is. */
export function integrityIndex(
  sentinels: readonly Sentinel[],
  conditions: readonly Condition[],
  strain: number,
): number {
  let sum = 0;
  let count = 0;
  for (const [i, { gi }] of conditions.entries()) {
    if (!sentinels[i]!.isOnline) continue;
    sum += gi;
    count += 1;
  }
  return count === 0 ? 0 : clamp(sixPlaces(sum / count - strain), 0, 1);
}

function mint(world: World, conditions: readonly Condition[]): Condition[] {
  return conditions.map((condition, i) => {
    const sentinel = world.sentinels[i]!;
    if (!sentinel.isOnline) return { ...condition, reward: 0 };
    const multiplier = world.economy.multipliers[sentinel.cathedral] ?? 1;
    const { opinion, innate, drift, uptime, gi, score, minted } = condition;
    const amount = Math.round(reward(score, multiplier) * world.levers.mint_share * MICRO);
    const more = minted + amount;
    return { opinion, innate, drift, uptime, gi, score, reward: amount, minted: more, unpaid: 0 };
  });
}

function unpaid(condition: Condition): Condition {
  return { ...condition, reward: 0, unpaid: condition.unpaid + 1 };
}

type Stocks = Pick<Economy, 'total' | 'circulating' | 'locked' | 'burned'>;

/** What is minted circulates or is locked; each move takes from one stock what it gives to another. */
function moveStocks(from: Stocks, minted: number, levers: World['levers']): Stocks {
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

/** What each sentinel that leaves costs the integrity index: its work lies undone. */
const LEAVING_STRAIN = 0.01;
/** Patience is not the same for all: a third leaves when it ends, the others one or two cycles later. */
const PATIENCE_STEPS = 3;

/** Who went without a reward for too long goes offline; while there is minting, one a cycle comes back. */
function comeAndGo(world: World): World {
  const { patience } = world.levers;
  if (patience === 0) return world;
  const leaving = world.sentinels.filter(
    ({ isOnline }, i) => isOnline && world.conditions[i]!.unpaid >= patience + (i % PATIENCE_STEPS),
  );
  const back = world.economy.isMinting
    ? world.sentinels.filter(({ isOnline, isRecused }) => !isOnline && !isRecused).slice(0, 1)
    : [];
  if (leaving.length + back.length === 0) return world;
  const strain = clamp(sixPlaces(world.economy.strain + LEAVING_STRAIN * leaving.length), 0, 1);
  return {
    ...world,
    sentinels: world.sentinels.map((sentinel) => {
      const turns = leaving.includes(sentinel) || back.includes(sentinel);
      return turns ? { ...sentinel, isOnline: !sentinel.isOnline } : sentinel;
    }),
    // An outage begins the days of uptime anew.
    conditions: world.conditions.map((condition, i) =>
      back.includes(world.sentinels[i]!) ? { ...condition, uptime: 0, unpaid: 0 } : condition,
    ),
    economy: { ...world.economy, strain },
    happened: [
      ...world.happened,
      ...leaving.map(({ id }) => `${id} has gone without a reward for too long and goes offline.`),
      ...back.map(({ id }) => `${id} comes back online.`),
    ],
  };
}
