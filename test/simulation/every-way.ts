import { advance } from '../../src/simulation/advance.ts';
import { type Available, available, takeAction } from '../../src/simulation/decisions.ts';
import type { Parameters, Scenario } from '../../src/simulation/scenario.ts';
import { startWorld } from '../../src/simulation/start-world.ts';
import type { World } from '../../src/simulation/world.ts';

/** The choices of a run, in their order. */
export interface Way {
  choices: string[];
  end: World;
}

/** Every way through a scenario in which each decision is taken when it opens, numbers at their ends and in the middle. */
export function everyWay(scenario: Scenario, seed: number): Way[] {
  const walk = (world: World, choices: string[]): Way[] => {
    let now = world;
    while (now.ending === null && now.open.length === 0) now = advance(now, scenario, seed);
    if (now.ending !== null) return [{ choices, end: now }];
    return available(now, scenario)
      .filter(({ decision }) => decision === now.open[0]!.name)
      .flatMap(({ choice }) => variants(choice).map((parameters) => ({ name: choice.name, parameters })))
      .flatMap((action) => walk(takeAction(now, action, scenario), [...choices, action.name]));
  };
  return walk(startWorld(scenario, seed), []);
}

function variants({ parameters = {} }: Available['choice']): Parameters[] {
  const [name = '', parameter] = Object.entries(parameters)[0] ?? [];
  if (parameter?.kind !== 'number') return [{}];
  const { minimum, maximum } = parameter;
  return [{}, { [name]: minimum }, { [name]: maximum }];
}
