import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { csvRow, inertCell } from '../../pipeline/artifacts/format/csv.ts';
import { nearestName } from '../../pipeline/config/nearest-name.ts';
import { text, texts } from '../../pipeline/config/setting.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import { LEVER_NAMES, LEVERS, type Lever, type Settings } from '../simulation/levers.ts';
import { AT_RANDOM, decisionsOf, type Plan, type PlannedDecision, playPlan } from '../simulation/plan.ts';
import { SEEDS } from '../simulation/run.ts';
import { RUN_HEADER, runCells } from '../simulation/run-columns.ts';
import type { Parameter, Scenario } from '../simulation/scenario.ts';
import { SCENARIOS, scenarioNamed } from '../simulation/scenarios.ts';
import { defineCommand } from './command.ts';

/** Two minutes and 200 MB of CSV. A digit too many would take days; more seeds are played as several ranges, one on each processor. */
const MOST_SEEDS = 100_000;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

const NAMES = SCENARIOS.map(({ name }) => name);

/** `7`, `1-1000` */
const seedRange = z
  .string()
  .regex(/^\d{1,10}(-\d{1,10})?$/)
  .transform((given) => {
    const [from = '', to = from] = given.split('-');
    return { from: Number(from), to: Number(to) };
  })
  .refine(({ from, to }) => from <= to && to < SEEDS && to - from < MOST_SEEDS);

export const simulate = defineCommand({
  summary:
    'Plays a scenario of the governance simulation with many seeds, and prints each run as a row of CSV.',
  details:
    'The same arguments print the same rows on every machine. docs/simulation.md describes the columns. The choices of a row, given as --choices with its seed, repeat its run.',
  examples: [
    'cathedral simulate --scenario model_drift --seeds 1-1000 --choices random > runs.csv',
    'cathedral simulate --scenario model_drift --seeds 1-1000 --set quorum=0.8 --set reach=0.5',
    'cathedral simulate --scenario moral_dilemma --seeds 7 --choices manner=stage_it,manner.cycles=3',
  ],
  isReader: true,
  flags: {
    scenario: {
      flag: 'scenario',
      default: null,
      unit: `one of ${NAMES.join(', ')}`,
      description: 'The scenario to play.',
      required: true,
      schema: text,
    },
    seeds: {
      flag: 'seeds',
      default: null,
      unit: `a seed, or a range such as 1-1000 of at most ${MOST_SEEDS}; seeds go from 0 to ${SEEDS - 1}`,
      description: 'The seeds, each of which is one run. For more, call the command several times.',
      required: true,
      schema: seedRange,
    },
    set: {
      flag: 'set',
      default: null,
      unit: 'name=value',
      description:
        'A parameter of the model, in place of the scenario’s own value at the start. It may be given several times.',
      many: true,
      schema: texts,
    },
    choices: {
      flag: 'choices',
      default: 'none',
      unit: 'none, random, or decision=choice,…',
      description:
        'What to choose. `none`: each decision goes by its default when its time is over. `random`: each decision is drawn from the seed. Otherwise, each decision that is named is taken as soon as its choice is offered, and the others go by their default; `decision=random` draws one, and `decision.parameter=value` sets a parameter of its choice.',
      schema: text,
    },
  },
  check({ scenario: name, set, choices }) {
    const scenario = SCENARIOS.find((one) => one.name === name);
    const errors = [
      scenario ? null : unknownName('--scenario', name, NAMES),
      errorOf(() => readSettings(set)),
      scenario ? errorOf(() => readChoices(choices, scenario)) : null,
    ];
    return errors.filter((error) => error !== null);
  },
  async run({ scenario, seeds, set, choices }, { write }) {
    const settings = readSettings(set);
    const plan = readChoices(choices, scenarioNamed(scenario));
    await write(csvRow(RUN_HEADER));
    for (let seed = seeds.from; seed <= seeds.to; seed += 1) {
      const run = playPlan(scenario, seed, settings, plan);
      await write(csvRow(runCells(run).map(inertCell)));
      // Lets the process hear of a signal, and of a reader that has left.
      await setImmediate();
    }
    return 0;
  },
});

function errorOf(read: () => unknown): CathedralError | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof CathedralError) return error;
    throw error;
  }
}

function readSettings(given: readonly string[] | null): Settings {
  const pairs = readPairs('--set', given ?? [], LEVER_NAMES);
  const settings = [...pairs].map(([name, value]) => {
    const { least, most } = LEVERS[name as Lever];
    return [name, readNumber(`--set ${name}`, value, least, most)];
  });
  return Object.fromEntries(settings);
}

function readChoices(given: string, scenario: Scenario): Plan {
  const decisions = decisionsOf(scenario);
  if (given === 'none') return {};
  if (given === 'random') return Object.fromEntries(decisions.map(({ name }) => [name, AT_RANDOM]));
  if (!given.includes('=')) throw unknownName('--choices', given, ['none', 'random', 'decision=choice,…']);
  const parameters = decisions.flatMap(({ name, choices }) =>
    choices.flatMap((choice) => Object.keys(choice.parameters ?? {}).map((key) => `${name}.${key}`)),
  );
  const names = [...decisions.map(({ name }) => name), ...new Set(parameters)];
  const pairs = readPairs('--choices', given.split(','), names);
  const plan = Object.fromEntries(
    decisions
      .filter(({ name }) => pairs.has(name))
      .map((decision) => [decision.name, readChoice(decision, pairs)]),
  );
  for (const name of pairs.keys()) {
    const [decision = '', key] = name.split('.');
    const planned = plan[decision];
    if (key === undefined || (planned && planned !== AT_RANDOM && Object.hasOwn(planned.parameters, key)))
      continue;
    throw wrong(`--choices ${name}`, `a choice for ${decision} that has it`, pairs.get(decision) ?? 'none');
  }
  return plan;
}

function readChoice({ name, choices }: PlannedDecision, pairs: ReadonlyMap<string, string>): Plan[string] {
  const chosen = pairs.get(name)!;
  if (chosen === 'random') return AT_RANDOM;
  const choice = choices.find((one) => one.name === chosen);
  if (!choice) throw unknownName(`--choices ${name}`, chosen, [...choices.map((one) => one.name), 'random']);
  const parameters = Object.entries(choice.parameters ?? {}).flatMap(([key, about]) => {
    const value = pairs.get(`${name}.${key}`);
    return value === undefined ? [] : [[key, readParameter(`--choices ${name}.${key}`, value, about)]];
  });
  return { choice: chosen, parameters: Object.fromEntries(parameters) };
}

function readParameter(place: string, value: string, about: Parameter): string | number {
  if (about.kind === 'number') return readNumber(place, value, about.minimum, about.maximum);
  if (about.values.includes(value)) return value;
  throw unknownName(place, value, about.values);
}

function readNumber(place: string, value: string, least: number, most: number): number {
  const number = NUMBER.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw wrong(place, `a number from ${least} to ${most}`, value);
}

/** `quorum=0.8`: each name once, and one of `names`. */
function readPairs(place: string, given: readonly string[], names: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const pair of given) {
    const [name = '', value = '', ...rest] = pair.split('=');
    if (name === '' || value === '' || rest.length > 0) throw wrong(place, 'name=value', pair);
    if (!names.includes(name)) throw unknownName(place, name, names);
    if (pairs.has(name)) throw wrong(`${place} ${name}`, `one value`, `${pairs.get(name)} and ${value}`);
    pairs.set(name, value);
  }
  return pairs;
}

function unknownName(place: string, name: string, names: readonly string[]): CathedralError {
  const nearest = nearestName(name, names);
  const others = names.filter((one) => one !== nearest);
  return wrong(place, `${nearest === null ? '' : `${nearest}, or `}one of ${others.join(', ')}`, name);
}

function wrong(place: string, expected: string, found: string): CathedralError {
  return new CathedralError('config_invalid', { place, expected, found: JSON.stringify(found) });
}
