import fc from 'fast-check';
import { available } from '../../src/simulation/decisions.ts';
import { SEEDS } from '../../src/simulation/draws.ts';
import { actInRun, type Run, startRun, stepRun } from '../../src/simulation/run.ts';
import type { Amount, Parameter, Parameters } from '../../src/simulation/scenario.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';

/** What a player does: ticks to wait, then which of the actions that there are, with which parameters. */
export interface Play {
  scenario: string;
  seed: number;
  moves: { wait: number; pick: number; share: number }[];
  rest: number;
}

export const arbitraryPlay: fc.Arbitrary<Play> = fc.record({
  scenario: fc.constantFrom(...SCENARIOS.map(({ name }) => name)),
  seed: fc.integer({ min: 0, max: SEEDS - 1 }),
  moves: fc.array(
    fc.record({
      wait: fc.integer({ min: 0, max: 6 }),
      pick: fc.nat({ max: 20 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 12 },
  ),
  rest: fc.integer({ min: 0, max: 60 }),
});

/** `seen` gets the run after each tick and action. */
export function play({ scenario, seed, moves, rest }: Play, seen: (run: Run) => void = () => {}): Run {
  let run = startRun(scenario, seed);
  const step = () => {
    run = stepRun(run);
    seen(run);
  };
  seen(run);
  for (const { wait, pick, share } of moves) {
    for (let tick = 0; tick < wait; tick += 1) step();
    const all = available(run.world, run.scenario);
    if (all.length === 0) continue;
    const { name, parameters = {} } = all[pick % all.length]!.choice;
    run = actInRun(run, name, parametersAt(parameters, share));
    seen(run);
  }
  for (let tick = 0; tick < rest; tick += 1) step();
  return run;
}

function parametersAt(parameters: Readonly<Record<string, Parameter>>, share: number): Parameters {
  const values = Object.entries(parameters).map(([name, parameter]) => [
    name,
    parameter.kind === 'one_of'
      ? parameter.values[Math.floor(share * (parameter.values.length - 1))]!
      : numberAt(parameter, share),
  ]);
  return Object.fromEntries(values);
}

function numberAt({ kind, minimum, maximum }: Amount, share: number): number {
  // The sum may be rounded to above the maximum.
  const number = Math.min(maximum, minimum + share * (maximum - minimum));
  return kind === 'whole_number' ? Math.round(number) : number;
}
