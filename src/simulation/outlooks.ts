import { forecast } from './advance.ts';
import { available, readParameters } from './decisions.ts';
import { MICRO } from './economy.ts';
import { meanOpinion } from './opinions.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Scenario } from './scenario.ts';
import type { Status, World } from './world.ts';

/** The forecast state of the world, without chance and further actions. */
export interface Outlook {
  tick: number;
  deliberation: Status;
  mean_opinion: number;
  mii: number;
  minting_active: boolean;
  /** MIC */
  total_supply: number;
  circulating: number;
}

/** The outcome of each choice with its default parameters, by name, and of no choice. */
export interface Outlooks {
  choices: ReadonlyMap<string, Outlook>;
  otherwise: Outlook | null;
}

/** Long enough for the next vote of every scenario. */
export const OUTLOOK_TICKS = 7;
export const NO_OUTLOOKS: Outlooks = { choices: new Map(), otherwise: null };

/** Cached by world: a decision stays open for several ticks, and its outlooks cost thirty. */
const KNOWN = new WeakMap<World, Outlooks>();

/** The outlooks of the choices of all open decisions, as they were when the decisions opened. */
export function outlooksOf(world: World, scenario: Scenario): Outlooks {
  if (world.open.length === 0 || world.ending !== null) return NO_OUTLOOKS;
  const known = KNOWN.get(world);
  if (known) return known;
  const outlooks = { choices: new Map(choicesOf(world, scenario)), otherwise: lookAhead(world, scenario) };
  KNOWN.set(world, outlooks);
  return outlooks;
}

function choicesOf(world: World, scenario: Scenario): [string, Outlook][] {
  return available(world, scenario)
    .filter(({ decision }) => decision !== null)
    .map(({ choice, decision, take }) => {
      const taken = take(world, readParameters(choice.parameters ?? {}, {}));
      const open = taken.open.filter(({ name }) => name !== decision);
      return [choice.name, lookAhead({ ...taken, open }, scenario)];
    });
}

function lookAhead(world: World, scenario: Scenario): Outlook {
  const later = forecast(world, scenario, OUTLOOK_TICKS);
  const { mii, isMinting, total, circulating } = later.economy;
  return {
    tick: later.tick,
    deliberation: later.deliberation.status,
    mean_opinion: meanOpinion(later),
    mii,
    minting_active: isMinting,
    total_supply: roundTo6(total / MICRO),
    circulating: roundTo6(circulating / MICRO),
  };
}
