import { miiThreshold } from '../../pipeline/model/formulas.ts';
import { GENESIS_MULTIPLIERS } from '../../pipeline/model/sentinel-profiles.ts';
import { applyChange } from './change.ts';
import { openDecisions } from './decisions.ts';
import { drawsOf } from './draws.ts';
import { integrityIndex, MICRO } from './economy.ts';
import { LEVER_NAMES, LEVERS, type Levers } from './levers.ts';
import { meanOpinion, polarisation } from './opinions.ts';
import type { Scenario } from './scenario.ts';
import { sixPlaces } from './six-places.ts';
import { sentinelsOf } from './temperaments.ts';
import { innateOpinion } from './utility.ts';
import { byVirtue } from './virtues.ts';
import type { Conditions, Deliberation, Economy, Sentinel, World } from './world.ts';

/** Millionths of a MIC: of the order of the sample ledger's at C-151. */
const STOCKS = {
  total: 4_000_000 * MICRO,
  circulating: 3_200_000 * MICRO,
  locked: 600_000 * MICRO,
  burned: 200_000 * MICRO,
};
/** Days since genesis at C-151. */
const UPTIME = 151;

/** The world before the first tick; opinions are the innate ones, as the model has it. */
export function startWorld(scenario: Scenario, seed: number, sentinels?: readonly Sentinel[]): World {
  const levers = Object.fromEntries(LEVER_NAMES.map((name) => [name, LEVERS[name].start])) as Levers;
  const cast = sentinels ?? sentinelsOf(drawsOf(seed, 0));
  const blank: World = {
    tick: 0,
    sentinels: cast,
    conditions: rested(cast),
    levers,
    effects: byVirtue((virtue) => scenario.effects[virtue] ?? 0),
    stakes: scenario.stakes ?? {},
    economy: { ...STOCKS, ...WITHOUT_READING, multipliers: GENESIS_MULTIPLIERS },
    deliberation: { ...UNDECIDED, rounds: scenario.rounds, roundEnds: scenario.roundTicks },
    open: [],
    taken: [],
    risks: { known: 0, mitigated: 0 },
    facts: {},
    past: [],
    happened: [],
    movement: 0,
    ending: null,
    began: { meanOpinion: 0, polarisation: 0, mii: 0, threshold: 0, total: 0 },
  };
  return openDecisions(read(applyChange(blank, scenario.start)), scenario);
}

const WITHOUT_READING: Pick<Economy, 'mii' | 'threshold' | 'isMinting' | 'strain' | 'stopped'> = {
  mii: 0,
  threshold: 0,
  isMinting: false,
  strain: 0,
  stopped: 0,
};
const UNDECIDED: Omit<Deliberation, 'rounds' | 'roundEnds'> = {
  status: 'open',
  round: 1,
  votes: [],
  dissenters: [],
  dissent: 'none',
};

function rested(sentinels: readonly Sentinel[]): Conditions {
  const nothing = sentinels.map(() => 0);
  return {
    opinion: nothing,
    innate: nothing,
    drift: sentinels.map(({ usualDrift }) => usualDrift),
    uptime: sentinels.map(() => UPTIME),
    gi: sentinels.map(({ usualGi }) => usualGi),
    score: nothing,
    reward: nothing,
    minted: nothing,
    unpaid: nothing,
  };
}

/** First opinions and first readings, of the world as the scenario has set it up. */
function read(world: World): World {
  const innate = world.sentinels.map((sentinel, i) =>
    innateOpinion(sentinel, world.conditions.drift[i]!, world),
  );
  const conditions = { ...world.conditions, innate, opinion: innate };
  const mii = integrityIndex(world.sentinels, conditions.gi, world.economy.strain);
  const threshold = sixPlaces(miiThreshold(world.economy.total / MICRO));
  const opined = { ...world, conditions };
  return {
    ...opined,
    economy: { ...world.economy, mii, threshold, isMinting: mii >= threshold },
    began: {
      meanOpinion: meanOpinion(opined),
      polarisation: polarisation(opined),
      mii,
      threshold,
      total: world.economy.total,
    },
  };
}
