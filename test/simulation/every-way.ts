import { advance } from '../../src/simulation/advance.ts';
import { type Available, askedDecisions, available, takeAction } from '../../src/simulation/decisions.ts';
import type { Parameters, Scenario } from '../../src/simulation/scenario.ts';
import { startWorld } from '../../src/simulation/start-world.ts';
import type { World } from '../../src/simulation/world.ts';

/** A choice that a player takes when its decision opens. */
interface Step {
  decision: string;
  choice: string;
  parameters: Parameters;
}

/** A run to its end. */
interface Way {
  steps: readonly Step[];
  /** The probability of going this way for someone who takes every choice with the same probability, as soon as it is there. */
  weight: number;
  end: World;
}

/** By ending, with what probability someone who chooses at random arrives there. */
export type Ends = Readonly<Record<string, number>>;

/** A place where ways part: where each choice of an open decision leads. */
export interface Fork {
  decision: string;
  before: World;
  branches: { choice: string; parameters: Parameters; after: World; ends: Ends }[];
}

export interface Everything {
  ways: Way[];
  forks: Fork[];
  ends: Ends;
}

/**
 * Every way through a scenario in which each decision is taken when it opens, numbers at their ends and in the middle. Ways share
 * what they have in common, since worlds do not change. `seen` gets each world once.
 */
export function everyWay(
  scenario: Scenario,
  seed: number,
  seen: (world: World) => void = () => {},
): Everything {
  const ways: Way[] = [];
  const forks: Fork[] = [];
  const walk = (world: World, steps: readonly Step[], weight: number): Ends => {
    seen(world);
    let now = world;
    while (now.ending === null && now.open.length === 0) {
      now = advance(now, scenario, seed);
      seen(now);
    }
    if (now.ending !== null) {
      ways.push({ steps, weight, end: now });
      return { [now.ending]: 1 };
    }
    const decision = askedDecisions(now)[0]!.name;
    const taken = available(now, scenario)
      .filter((one) => one.decision === decision)
      .flatMap(({ choice }, _, offered) => {
        const values = variantsOf(choice);
        return values.map((parameters) => ({
          step: { decision, choice: choice.name, parameters },
          share: 1 / offered.length / values.length,
        }));
      });
    const branches = taken.map(({ step, share }) => {
      const after = takeAction(now, { name: step.choice, parameters: step.parameters }, scenario);
      return { ...step, share, after, ends: walk(after, [...steps, step], weight * share) };
    });
    forks.push({ decision, before: now, branches });
    return mixed(branches);
  };
  const ends = walk(startWorld(scenario, seed), [], 1);
  return { ways, forks, ends };
}

function mixed(branches: readonly { share: number; ends: Ends }[]): Ends {
  const mix: Record<string, number> = {};
  for (const { share, ends } of branches)
    for (const [ending, probability] of Object.entries(ends))
      mix[ending] = (mix[ending] ?? 0) + share * probability;
  return mix;
}

/** The default values, and each number at its minimum and at its maximum. */
export function variantsOf({ parameters = {} }: Available['choice']): Parameters[] {
  const numbers = Object.entries(parameters).flatMap(([name, parameter]) =>
    parameter.kind === 'one_of' ? [] : [{ [name]: parameter.minimum }, { [name]: parameter.maximum }],
  );
  return [{}, ...numbers];
}
