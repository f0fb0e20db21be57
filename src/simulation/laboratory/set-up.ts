import { LEVER_NAMES, LEVERS, type Lever, type Levers, type Settings } from '../levers.ts';
import { AT_RANDOM, decisionsOf, type Plan } from '../plan.ts';
import { roundTo6 } from '../round-to-6.ts';
import { scenarioNamed } from '../scenarios.ts';
import { startWorld } from '../start-world.ts';

/** What a batch plays with each of its seeds. */
export interface Variant {
  settings: Settings;
  plan: Plan;
}

/** One parameter at several values, everything else as in the batch. */
export interface Sweep {
  /** The name of a lever, or `decision.parameter` of a choice in the plan. */
  parameter: string;
  from: number;
  to: number;
  /** Number of values, evenly spaced. */
  values: number;
}

/** In place of one parameter: each of them in turn, over its whole range. */
export const EACH = 'each';

/** Everything that the results of a batch follow from, besides the version of the engine. */
export interface SetUp extends Variant {
  scenario: string;
  /** Both included. */
  seeds: { from: number; to: number };
  sweep: Sweep | typeof EACH | null;
  /** A second variant that is played with the same seeds. */
  compared: Variant | null;
}

export const BATCH_LIMITS = {
  seeds: { most: 1000, start: 200 },
  /** Values of a sweep. */
  values: { least: 5, most: 9, start: 7 },
  /** Of each parameter when all are swept. */
  valuesOfEach: 5,
  /** Runs of a batch with its comparison and sweep: some seconds, and some MB of rows. */
  runs: { most: 20_000 },
} as const;

/** A set of runs that differ only by their seeds. */
export interface Part extends Variant {
  name: 'batch' | 'comparison' | 'sweep';
  /** The swept parameter and its value; null outside of a sweep. */
  swept: { parameter: string; value: number } | null;
}

export interface SweptRange {
  parameter: string;
  least: number;
  most: number;
  meaning: string;
}

/** The levers with which a scenario starts by itself. */
export function ownLevers(scenario: string): Levers {
  return startWorld(scenarioNamed(scenario), 0).levers;
}

/** The parameters that can be swept: all levers, and the numbers of the choices in the plan. */
export function sweptRanges({ scenario, plan }: Pick<SetUp, 'scenario' | 'plan'>): SweptRange[] {
  const levers = LEVER_NAMES.map((parameter) => ({ parameter, ...LEVERS[parameter] }));
  const planned = decisionsOf(scenarioNamed(scenario)).flatMap(({ name, choices }) => {
    const mine = plan[name];
    if (!mine || mine === AT_RANDOM) return [];
    const { parameters = {} } = choices.find((choice) => choice.name === mine.choice)!;
    return Object.entries(parameters).flatMap(([key, about]) =>
      about.kind === 'number'
        ? [
            {
              parameter: `${name}.${key}`,
              least: about.minimum,
              most: about.maximum,
              meaning: about.meaning,
            },
          ]
        : [],
    );
  });
  return [...levers, ...planned];
}

/** In the order in which they are played. */
export function partsOf(setUp: SetUp): Part[] {
  const { settings, plan, compared } = setUp;
  return [
    { name: 'batch', swept: null, settings, plan },
    ...(compared ? [{ name: 'comparison', swept: null, ...compared } as const] : []),
    ...sweepsOf(setUp).flatMap((sweep) => sweepParts(setUp, sweep)),
  ];
}

export function sweepsOf(setUp: SetUp): Sweep[] {
  const { sweep } = setUp;
  if (sweep !== EACH) return sweep ? [sweep] : [];
  return sweptRanges(setUp).map(({ parameter, least, most }) => ({
    parameter,
    from: least,
    to: most,
    values: BATCH_LIMITS.valuesOfEach,
  }));
}

/** Over a whole range, with as many values as make the steps round, or 7. */
export function wholeSweep({
  parameter,
  least,
  most,
}: Pick<SweptRange, 'parameter' | 'least' | 'most'>): Sweep {
  const isRound = (values: number) => Number.isInteger(roundTo6((1000 * (most - least)) / (values - 1)));
  const values = [7, 8, 9, 6, 5].find(isRound) ?? BATCH_LIMITS.values.start;
  return { parameter, from: least, to: most, values };
}

function sweepParts({ settings, plan }: Variant, sweep: Sweep): Part[] {
  const { parameter } = sweep;
  return sweepValues(sweep).map((value) => ({
    name: 'sweep',
    swept: { parameter, value },
    ...withValue({ settings, plan }, parameter, value),
  }));
}

export function sweepValues({ from, to, values }: Sweep): number[] {
  return Array.from({ length: values }, (_, place) => roundTo6(from + (place * (to - from)) / (values - 1)));
}

function withValue({ settings, plan }: Variant, parameter: string, value: number): Variant {
  const [decision, key] = parameter.split('.') as [string, string | undefined];
  if (key === undefined) return { settings: { ...settings, [decision as Lever]: value }, plan };
  const planned = plan[decision];
  if (!planned || planned === AT_RANDOM) return { settings, plan };
  const parameters = { ...planned.parameters, [key]: value };
  return { settings, plan: { ...plan, [decision]: { ...planned, parameters } } };
}

export function seedCount({ seeds: { from, to } }: Pick<SetUp, 'seeds'>): number {
  return to - from + 1;
}

export function runCount(setUp: SetUp): number {
  return seedCount(setUp) * partsOf(setUp).length;
}
