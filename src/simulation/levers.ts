import { SimulationFault } from './fault.ts';
import { roundTo6 } from './round-to-6.ts';

interface LeverEntry {
  least: number;
  most: number;
  start: number;
  meaning: string;
}

/** The world parameters that a scenario and its choices may set, each with its range and default. */
export const LEVERS = {
  interest: { least: 0, most: 1, start: 0.2, meaning: 'weight of a sentinel’s own stake in its utility' },
  lure: { least: -1, most: 1, start: 0, meaning: 'what a drift of 10 adds to the utility' },
  stubbornness: {
    least: 0,
    most: 4,
    start: 1,
    meaning: 'factor on the stubbornness of every sentinel',
  },
  kinship: {
    least: 0,
    most: 3,
    start: 0.5,
    meaning: 'how much more those of the same cathedral are heard',
  },
  reach: { least: 0.05, most: 2, start: 0.25, meaning: 'virtue distance at which influence is halved' },
  quorum: {
    least: 0.3,
    most: 1,
    start: 0.6,
    meaning: 'least share of all sentinels that must take a position',
  },
  consensus: {
    least: 0.5,
    most: 1,
    start: 0.75,
    meaning: 'least share of the positions taken that must agree',
  },
  contagion: {
    least: 0,
    most: 0.5,
    start: 0,
    meaning: 'share of a difference in drift that spreads per tick',
  },
  recovery: { least: 0, most: 1, start: 0.05, meaning: 'share of the way back to its usual drift per tick' },
  mint_share: { least: 0, most: 1, start: 1, meaning: 'share of the reward formula that is minted' },
  lock_share: { least: 0, most: 1, start: 0.1, meaning: 'share of what is minted that is locked' },
  unlock_rate: {
    least: 0,
    most: 0.2,
    start: 0.01,
    meaning: 'share of what is locked that is freed per tick',
  },
  burn_rate: {
    least: 0,
    most: 0.1,
    start: 0.001,
    meaning: 'share of what circulates that is burned per tick',
  },
  strain_rate: { least: 0, most: 0.2, start: 0, meaning: 'strain on the integrity index added per tick' },
  mending: { least: 0, most: 1, start: 0.1, meaning: 'share of the strain that heals per tick' },
  patience: {
    least: 0,
    most: 60,
    start: 0,
    meaning: 'ticks without reward after which a sentinel goes offline; 0: never',
  },
} as const satisfies Readonly<Record<string, LeverEntry>>;

export type Lever = keyof typeof LEVERS;
export type Levers = Readonly<Record<Lever, number>>;

/** The levers that move MIC. Without a change, they stay what they were at the start. */
export const MONEY_LEVERS = [
  'mint_share',
  'lock_share',
  'unlock_rate',
  'burn_rate',
] as const satisfies Lever[];

export const LEVER_NAMES = Object.keys(LEVERS) as Lever[];

/** Levers that a player sets before the run, in place of the scenario’s. Choices and events change them afterwards. */
export type Settings = Readonly<Partial<Record<Lever, number>>>;

/** Rounded as in the state. Throws a SimulationFault invalid_settings. */
export function readSettings(given: Readonly<Record<string, unknown>>): Settings {
  const read = Object.entries(given).map(([name, value]) => {
    if (!Object.hasOwn(LEVERS, name)) {
      const expected = `settings: expected some of ${LEVER_NAMES.join(', ')}`;
      throw new SimulationFault('invalid_settings', `${expected}; found ${JSON.stringify(name)}.`);
    }
    const { least, most } = LEVERS[name as Lever];
    if (typeof value === 'number' && value >= least && value <= most) return [name, roundTo6(value)];
    const expected = `settings.${name}: expected a number from ${least} to ${most}`;
    throw new SimulationFault('invalid_settings', `${expected}, found ${JSON.stringify(value)}.`);
  });
  return Object.fromEntries(read);
}
