import { faultAt } from './fault.ts';
import { roundTo6 } from './round-to-6.ts';

function lever(least: number, most: number, start: number, meaning: string) {
  return { least, most, start, meaning };
}

/** The world parameters that a scenario and its choices may set, each with its range and default. */
export const LEVERS = {
  interest: lever(0, 1, 0.2, 'weight of a sentinel’s own stake in its utility'),
  lure: lever(-1, 1, 0, 'what a drift of 10 adds to the utility'),
  stubbornness: lever(0, 4, 1, 'factor on the stubbornness of every sentinel'),
  kinship: lever(0, 3, 0.5, 'how much more those of the same cathedral are heard'),
  reach: lever(0.05, 2, 0.25, 'virtue distance at which influence is halved'),
  quorum: lever(0.3, 1, 0.6, 'least share of all sentinels that must take a position'),
  consensus: lever(0.5, 1, 0.75, 'least share of the positions taken that must agree'),
  contagion: lever(0, 0.5, 0, 'share of a difference in drift that spreads per tick'),
  recovery: lever(0, 1, 0.05, 'share of the way back to its usual drift per tick'),
  mint_share: lever(0, 1, 1, 'share of the reward formula that is minted'),
  lock_share: lever(0, 1, 0.1, 'share of what is minted that is locked'),
  unlock_rate: lever(0, 0.2, 0.01, 'share of what is locked that is freed per tick'),
  burn_rate: lever(0, 0.1, 0.001, 'share of what circulates that is burned per tick'),
  strain_rate: lever(0, 0.2, 0, 'strain on the integrity index added per tick'),
  mending: lever(0, 1, 0.1, 'share of the strain that heals per tick'),
  patience: lever(0, 60, 0, 'ticks without reward after which a sentinel goes offline; 0: never'),
} as const;

export type Lever = keyof typeof LEVERS;
export type Levers = Readonly<Record<Lever, number>>;

export const LEVER_NAMES = Object.keys(LEVERS) as Lever[];

/** Actions that a player takes in a run, at most: more than any scenario needs. */
export const MAX_ACTIONS = 64;

/** Levers that a player sets before the run, in place of the scenario’s. Choices and events change them afterwards. */
export type Settings = Readonly<Partial<Record<Lever, number>>>;

/** Rounded as in the state. Throws a SimulationFault invalid_settings. */
export function readSettings(given: Readonly<Record<string, unknown>>): Settings {
  const read = Object.entries(given).map(([name, value]) => {
    if (!Object.hasOwn(LEVERS, name))
      throw faultAt('invalid_settings', 'settings', `some of ${LEVER_NAMES.join(', ')}`, name);
    const { least, most } = LEVERS[name as Lever];
    if (typeof value === 'number' && value >= least && value <= most) return [name, roundTo6(value)];
    throw faultAt('invalid_settings', `settings.${name}`, `a number from ${least} to ${most}`, value);
  });
  return Object.fromEntries(read);
}
