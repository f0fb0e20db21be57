import { type SetUp, wholeSweep } from '../../../../simulation/laboratory/set-up.ts';
import { LEVERS, type Lever } from '../../../../simulation/levers.ts';
import { AT_RANDOM, decisionsOf, type Plan } from '../../../../simulation/plan.ts';
import { scenarioNamed } from '../../../../simulation/scenarios.ts';
import { newSetUp } from './set-up-address.ts';

export interface Preset {
  name: string;
  question: string;
  /** What is varied, and what stays. */
  method: string;
  /** Where to look; never what there is to see. */
  lookAt: string;
  setUp: (scenario: string) => SetUp;
}

/** For every scenario: each is made from its data. */
export const PRESETS: readonly Preset[] = [
  {
    name: 'quorum',
    question: 'Does the quorum decide?',
    method: 'Every decision is taken at random, and the quorum rises step by step.',
    lookAt:
      'Look at the lines of the sweep: at which quorum does one ending take the place of another, if at all?',
    setUp: (scenario) => ({ ...atRandom(scenario), sweep: whole('quorum') }),
  },
  {
    name: 'stubbornness',
    question: 'How stubborn may they be?',
    method: 'Every decision is taken at random, and all sentinels become more stubborn step by step.',
    lookAt: 'Guess first: do stubborn sentinels agree less often? Then compare the two ends of each line.',
    setUp: (scenario) => ({ ...atRandom(scenario), sweep: whole('stubbornness') }),
  },
  {
    name: 'luck',
    question: 'Is it luck?',
    method: 'All runs make the same choices and differ only by their seed. The comparison chooses at random.',
    lookAt:
      'Look at how many endings each of the two batches has: what differs within the first one is luck.',
    setUp: (scenario) => ({
      ...newSetUp(scenario),
      plan: firstChoices(scenario),
      compared: { settings: {}, plan: randomPlan(scenario) },
    }),
  },
];

function atRandom(scenario: string): SetUp {
  return { ...newSetUp(scenario), plan: randomPlan(scenario) };
}

export function randomPlan(scenario: string): Plan {
  return Object.fromEntries(
    decisionsOf(scenarioNamed(scenario)).map(({ name }) => [name, AT_RANDOM] as const),
  );
}

function firstChoices(scenario: string): Plan {
  const planned = decisionsOf(scenarioNamed(scenario)).map(({ name, choices: [first] }) => {
    const parameters = Object.entries(first!.parameters ?? {}).map(([key, about]) => [key, about.default]);
    return [name, { choice: first!.name, parameters: Object.fromEntries(parameters) }] as const;
  });
  return Object.fromEntries(planned);
}

function whole(parameter: Lever): SetUp['sweep'] {
  return wholeSweep({ parameter, ...LEVERS[parameter] });
}
