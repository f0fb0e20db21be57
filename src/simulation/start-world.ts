import { miiThreshold } from '../../pipeline/model/formulas.ts';
import {
  GENESIS_MULTIPLIERS,
  SENTINEL_IDS,
  SENTINEL_PROFILES,
  type SentinelId,
} from '../../pipeline/model/sentinel-profiles.ts';
import { applyChange, setLevers } from './change.ts';
import { openDecisions } from './decisions.ts';
import { type Draws, drawsOf } from './draws.ts';
import { integrityIndex, MICRO } from './economy.ts';
import { LEVER_NAMES, LEVERS, type Levers, type Settings } from './levers.ts';
import { ownOpinions, polarisation } from './opinions.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Scenario } from './scenario.ts';
import { byVirtue, type Sentinel, VIRTUES, type World } from './world.ts';

/** Weight of each virtue, in their order, according to each sentinel's role. */
export const WEIGHTS: Readonly<Record<SentinelId, readonly [number, number, number, number, number]>> = {
  ATLAS: [0.35, 0.15, 0.2, 0.25, 0.05],
  HERMES: [0.2, 0.1, 0.35, 0.2, 0.15],
  ZEUS: [0.2, 0.3, 0.2, 0.1, 0.2],
  AUREA: [0.15, 0.25, 0.1, 0.4, 0.1],
  ZENITH: [0.1, 0.3, 0.15, 0.4, 0.05],
  DAEDALUS: [0.25, 0.1, 0.1, 0.3, 0.25],
  ECHO: [0.4, 0.1, 0.2, 0.15, 0.15],
  URIEL: [0.45, 0.15, 0.15, 0.2, 0.05],
  EVE: [0.15, 0.05, 0.45, 0.1, 0.25],
  JADE: [0.2, 0.4, 0.2, 0.15, 0.05],
};
/** The range of random changes to a weight before normalisation, and to the utility. */
const WEIGHT_NOISE = 0.02;
const TEMPER = 0.1;
/** Stubbornness at a readiness to disagree of 0, and its increase up to a readiness of 1. */
const STUBBORN = { least: 0.15, perDissent: 0.2 };

/** The ten sentinels, with temperaments from the draws. */
function sentinelsOf(draws: Draws): Sentinel[] {
  return SENTINEL_IDS.map((id) => {
    const { drift, gi, dissent, cathedral, apps, packages, workflows } = SENTINEL_PROFILES[id];
    const shifted = WEIGHTS[id].map((weight) => Math.max(0, weight + WEIGHT_NOISE * (2 * draws() - 1)));
    const sum = shifted.reduce((total, weight) => total + weight, 0);
    return {
      ...{ id, cathedral, apps, packages, workflows },
      usualDrift: drift,
      usualGi: gi,
      weights: byVirtue((virtue) => roundTo6(shifted[VIRTUES.indexOf(virtue)]! / sum)),
      stubbornness: roundTo6(STUBBORN.least + STUBBORN.perDissent * dissent),
      trust: 1,
      temper: roundTo6(TEMPER * (2 * draws() - 1)),
      pressure: 0,
      isOnline: true,
      isRecused: false,
    };
  });
}

/** Millionths of a MIC, similar to the demo ledger at C-151. */
const STOCKS = {
  total: 4_000_000 * MICRO,
  circulating: 3_200_000 * MICRO,
  locked: 600_000 * MICRO,
  burned: 200_000 * MICRO,
};
/** Days since genesis at C-151. */
const UPTIME = 151;

/** The world before the first tick. `settings` replace what the scenario sets. Opinions start as the innate ones, as in the model. */
export function startWorld(scenario: Scenario, seed: number, settings: Settings = {}): World {
  const levers = Object.fromEntries(LEVER_NAMES.map((name) => [name, LEVERS[name].start])) as Levers;
  const sentinels = sentinelsOf(drawsOf(seed, 0));
  const nothing = sentinels.map(() => 0);
  const multipliers = GENESIS_MULTIPLIERS;
  const blank: World = {
    tick: 0,
    sentinels,
    conditions: {
      opinion: nothing,
      drift: sentinels.map(({ usualDrift }) => usualDrift),
      uptime: sentinels.map(() => UPTIME),
      gi: sentinels.map(({ usualGi }) => usualGi),
      ...{ score: nothing, reward: nothing, minted: nothing, unpaid: nothing },
    },
    levers,
    effects: byVirtue((virtue) => scenario.effects[virtue] ?? 0),
    stakes: scenario.stakes ?? {},
    economy: { ...STOCKS, mii: 0, threshold: 0, isMinting: false, strain: 0, stopped: 0, multipliers },
    unchanged: { ...STOCKS, minted: [], multipliers, levers },
    deliberation: {
      ...{ status: 'open', round: 1, votes: [], dissenters: [], dissent: 'none' },
      rounds: scenario.rounds,
      roundEnds: scenario.roundTicks,
    },
    ...{ open: [], taken: [], lapsed: [] },
    risks: { known: 0, mitigated: 0 },
    ...{ facts: {}, past: [], log: [], movement: 0, settled: null, ending: null },
    began: { polarisation: 0 },
  };
  const begun = applyChange(blank, scenario.start);
  return openDecisions(read({ ...begun, levers: setLevers(begun.levers, settings) }), scenario);
}

/** Initial opinions and readings, after the scenario has set up the world. */
function read(world: World): World {
  const opinion = ownOpinions(world);
  const opined = { ...world, conditions: { ...world.conditions, opinion } };
  const { total, circulating, locked, burned, multipliers, strain } = world.economy;
  const mii = integrityIndex(world.sentinels, world.conditions.gi, strain);
  const threshold = roundTo6(miiThreshold(total / MICRO));
  const { mint_share, lock_share, unlock_rate, burn_rate } = world.levers;
  return {
    ...opined,
    economy: { ...world.economy, mii, threshold, isMinting: mii >= threshold },
    unchanged: {
      ...{ total, circulating, locked, burned, multipliers },
      minted: world.conditions.minted,
      levers: { mint_share, lock_share, unlock_rate, burn_rate },
    },
    began: { polarisation: polarisation(opined) },
  };
}
