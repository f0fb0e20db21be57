import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { SEEDS } from '../simulation/draws.ts';
import { SCENARIO_NAMES } from '../simulation/scenario-names.ts';
import { defineCommand, errorsOf } from './command.ts';

/** Two minutes and 200 MB of CSV. A digit too many would take days; more seeds are played as several ranges, one on each processor. */
const MOST_SEEDS = 100_000;

/** `7`, `1-1000` */
const seedRange = z
  .string()
  .regex(/^\d{1,10}(-\d{1,10})?$/)
  .transform((given) => {
    const [from = '', to = from] = given.split('-');
    return { from: Number(from), to: Number(to) };
  })
  .refine(({ from, to }) => from <= to && to < SEEDS && to - from < MOST_SEEDS);

const simulate = defineCommand({
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
      unit: `one of ${SCENARIO_NAMES.join(', ')}`,
      description: 'The scenario to play.',
      required: true,
    },
    seeds: {
      unit: `a seed, or a range such as 1-1000 of at most ${MOST_SEEDS}; seeds go from 0 to ${SEEDS - 1}`,
      description: 'The seeds, each of which is one run. For more, run the command several times.',
      required: true,
      schema: seedRange,
    },
    set: {
      unit: 'name=value',
      description:
        'A parameter of the model, in place of the scenario’s own value at the start. It may be given several times.',
      many: true,
    },
    choices: {
      default: 'none',
      unit: 'none, random, or decision=choice,…',
      description:
        'What to choose. `none`: each decision gets its default when its time is over. `random`: each decision is drawn from the seed. Otherwise, each decision that is named is taken as soon as its choice is offered, and the others get their default; `decision=random` draws one, and `decision.parameter=value` sets a parameter of its choice.',
    },
  },
  async check({ scenario: name, set, choices }) {
    const { readChoices, readSettings, unknownName } = await import('../simulation/plan.ts');
    const { SCENARIOS } = await import('../simulation/scenarios.ts');
    const scenario = SCENARIOS.find((one) => one.name === name);
    if (!scenario)
      return [unknownName('--scenario', name, SCENARIO_NAMES), ...errorsOf(() => readSettings(set))];
    return errorsOf(
      () => readSettings(set),
      () => readChoices(choices, scenario),
    );
  },
  async run({ scenario, seeds, set, choices }, { write }) {
    const { csvRow, inertCell } = await import('../../pipeline/artifacts/format/csv.ts');
    const { playPlan, readChoices, readSettings } = await import('../simulation/plan.ts');
    const { rowOf } = await import('../simulation/run-row.ts');
    const { scenarioNamed } = await import('../simulation/scenarios.ts');
    const settings = readSettings(set);
    const plan = readChoices(choices, scenarioNamed(scenario));
    for (let seed = seeds.from; seed <= seeds.to; seed += 1) {
      const row = rowOf(playPlan(scenario, seed, settings, plan));
      if (seed === seeds.from) await write(csvRow(Object.keys(row)));
      await write(csvRow(Object.values(row).map(inertCell)));
      // Lets the process hear of a signal, and of a reader that has left.
      await setImmediate();
    }
    return 0;
  },
});

export const COMMANDS = { simulate };
