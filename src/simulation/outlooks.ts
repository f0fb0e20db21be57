import { forecast } from './advance.ts';
import { type Available, readParameters, takeAction } from './decisions.ts';
import { MICRO } from './economy.ts';
import { meanOpinion, ownOpinions } from './opinions.ts';
import type { SimulationUpdate } from './protocol/server-message.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Parameters, Scenario } from './scenario.ts';
import type { Status, World } from './world.ts';

/** Where the world may be some ticks later, without further actions: in how many futures it is what, and between which values. */
export type Outlook = NonNullable<SimulationUpdate['current_state']['outlook']>;

/** Long enough for the next vote of every scenario. */
export const OUTLOOK_TICKS = 7;
/** Futures per outlook. */
const FORECASTS = 20;

/** The outlook if an available action is taken now. Parameters that are not given have their defaults. Throws the SimulationFaults of readParameters. */
export function outlookOf(
  world: World,
  scenario: Scenario,
  { choice }: Available,
  given: Parameters = {},
): Outlook {
  const parameters = readParameters(choice.parameters ?? {}, given);
  // Taken as a player takes it: otherwise the decision would open again in the futures.
  return lookAhead(takeAction(world, { name: choice.name, parameters }, scenario), scenario, parameters);
}

/** The outlook if nobody chooses. `parameters`: those of the choice that was just taken. */
export function lookAhead(world: World, scenario: Scenario, parameters: Parameters = {}): Outlook {
  const futures = Array.from({ length: FORECASTS }, (_, future) =>
    forecast(world, scenario, OUTLOOK_TICKS, future),
  );
  const deliberation: Partial<Record<Status, number>> = {};
  for (const { status } of futures.map((future) => future.deliberation))
    deliberation[status] = (deliberation[status] ?? 0) + 1;
  return {
    tick: world.tick + OUTLOOK_TICKS,
    runs: FORECASTS,
    parameters,
    deliberation,
    mean_opinion: spreadOf(futures.map(meanOpinion)),
    mii: spreadOf(futures.map(({ economy }) => economy.mii)),
    circulating: spreadOf(futures.map(({ economy }) => economy.circulating / MICRO)),
    minting: futures.filter(({ economy }) => economy.isMinting).length,
  };
}

function spreadOf(values: number[]): Outlook['mii'] {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const middle = roundTo6((sorted[half - 1]! + sorted[half]!) / 2);
  return { low: roundTo6(sorted[0]!), middle, high: roundTo6(sorted.at(-1)!) };
}

/** What a choice would do at once and in the days after it, for whoever is about to make it. */
export interface Prospect {
  /** The ids of those who would think better of the proposal by themselves, and of those who would think worse. */
  pleases: readonly string[];
  troubles: readonly string[];
  /** The opposite question is put, so whoever was for it is against it. */
  isTurned: boolean;
  outlook: Outlook;
}

/** A smaller change of an own opinion pleases nobody. */
const PLEASED = 0.01;

/** Throws the SimulationFaults of readParameters. */
export function prospectOf(world: World, scenario: Scenario, action: Available, given: Parameters): Prospect {
  const after = action.take(world, readParameters(action.choice.parameters ?? {}, given));
  const [was, is] = [ownOpinions(world), ownOpinions(after)];
  const moved = (sign: number) =>
    world.sentinels.filter((_, i) => sign * (is[i]! - was[i]!) >= PLEASED).map(({ id }) => id);
  return {
    pleases: moved(1),
    troubles: moved(-1),
    isTurned: isTurned(world) !== isTurned(after),
    outlook: outlookOf(world, scenario, action, given),
  };
}

/** Whether the opposite question was put, which turns all tempers. Compares worlds with the same sentinels. */
function isTurned({ sentinels }: World): boolean {
  return sentinels.find(({ temper }) => temper !== 0)!.temper > 0;
}
