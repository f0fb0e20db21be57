import { expect, test } from 'vitest';
import { decisionsOf } from '../../src/simulation/decisions.ts';
import { AT_RANDOM, type Plan, playPlan, readChoices } from '../../src/simulation/plan.ts';
import { SCENARIO_NAMES } from '../../src/simulation/scenario-names.ts';
import { SCENARIOS, scenarioNamed } from '../../src/simulation/scenarios.ts';

const NAMES = SCENARIOS.map(({ name }) => name);

test('help names every scenario, in the order in which they are listed', () => {
  expect(SCENARIO_NAMES).toEqual(NAMES);
});

function randomPlan(scenario: string): Plan {
  return Object.fromEntries(decisionsOf(scenarioNamed(scenario)).map(({ name }) => [name, AT_RANDOM]));
}

test('a decision that is left to chance is drawn from the seed: it is the same each time, and every choice occurs', () => {
  for (const name of NAMES) {
    const taken = new Map<string, Set<string>>();
    for (let seed = 1; seed <= 60; seed += 1) {
      const run = playPlan(name, seed, {}, randomPlan(name));
      expect(playPlan(name, seed, {}, randomPlan(name)).actions).toEqual(run.actions);
      for (const { decision, choice } of run.world.taken)
        taken.set(decision, (taken.get(decision) ?? new Set()).add(choice));
    }
    const [first] = decisionsOf(scenarioNamed(name));
    expect(taken.get(first!.name)!.size).toBe(first!.choices.length);
  }
});

test('days are whole numbers, from the command line as in a message', () => {
  const choose = (cycles: string) =>
    readChoices(`manner=stage_it,manner.cycles=${cycles}`, scenarioNamed('moral_dilemma'));
  expect(choose('3')).toEqual({ manner: { choice: 'stage_it', parameters: { cycles: 3 } } });
  expect(() => choose('2.5')).toThrow(
    '--choices manner.cycles: expected a whole number from 1 to 14, found "2.5"',
  );
});

test('a decision is drawn alike whatever else is planned', () => {
  for (const name of NAMES) {
    const [first] = decisionsOf(scenarioNamed(name));
    for (let seed = 1; seed <= 10; seed += 1) {
      const choiceIn = (plan: Plan) =>
        playPlan(name, seed, {}, plan).world.taken.find(({ decision }) => decision === first!.name);
      expect(choiceIn({ [first!.name]: AT_RANDOM })).toEqual(choiceIn(randomPlan(name)));
    }
  }
});

test('every choice can be planned with any seed, although it may not be offered in each run', () => {
  for (const scenario of NAMES)
    for (const { name, choices } of decisionsOf(scenarioNamed(scenario)))
      for (const { name: choice } of choices)
        for (let seed = 1; seed <= 3; seed += 1)
          expect(
            playPlan(scenario, seed, {}, { ...randomPlan(scenario), [name]: { choice, parameters: {} } })
              .world.ending,
          ).not.toBeNull();
  const plan = { [decisionsOf(SCENARIOS[0]!)[0]!.name]: { choice: 'none', parameters: {} } };
  expect(() => playPlan(NAMES[0]!, 1, {}, plan)).toThrow('found "none"');
});
