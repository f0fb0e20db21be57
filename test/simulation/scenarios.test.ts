import { describe, expect, test } from 'vitest';
import { SimulationFault } from '../../src/simulation/fault.ts';
import { actInRun, replay, startRun, stepRun } from '../../src/simulation/run.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { show } from '../../src/simulation/view.ts';

const NAMES = [
  'cathedral_multiplier_proposal',
  'emergency_protocol_activation',
  'sentinel_disagreement',
  'economic_failure_cascade',
  'model_drift',
  'conflicting_incentives',
  'moral_dilemma',
];

test('there are seven scenarios, each with a name of its own', () => {
  expect(SCENARIOS.map(({ name }) => name)).toEqual(NAMES);
});

describe.each(SCENARIOS)('$name', (scenario) => {
  test('has choices, decisions and endings of different names, and defaults that are there', () => {
    const choices = scenario.decisions.flatMap((decision) => decision.choices.map(({ name }) => name));
    expect(new Set(choices).size).toBe(choices.length);
    for (const { otherwise, choices: own } of scenario.decisions)
      expect(own.map(({ name }) => name)).toContain(otherwise);
    const endings = scenario.endings.map(({ name }) => name);
    expect(new Set(endings).size).toBe(endings.length);
    expect(new Set(scenario.decisions.map(({ name }) => name)).size).toBe(scenario.decisions.length);
  });

  test('tells a story', () => {
    expect(scenario.story.length).toBeGreaterThanOrEqual(2);
    expect(scenario.story.join(' ').split(' ').length).toBeLessThanOrEqual(90);
  });
});

describe('a decision', () => {
  const started = () => stepRun(startRun('cathedral_multiplier_proposal', 1), 1);

  test('is open for its time, and then takes itself', () => {
    const { current_state } = show(started());
    expect(current_state.decisions).toEqual([
      {
        name: 'terms',
        title: 'The terms',
        prompt: 'The assembly has not voted yet. What should the proposal say?',
        until: 5,
        otherwise: 'keep_as_proposed',
      },
    ]);
    const later = stepRun(started(), 4).world;
    expect(later.taken).toEqual([
      { tick: 5, decision: 'terms', choice: 'keep_as_proposed', isDefault: true },
    ]);
  });

  test('says of each choice what would come of it, and of none', () => {
    const { next_actions, current_state } = show(started());
    const choices = next_actions.filter(({ decision }) => decision === 'terms');
    expect(choices.map(({ name }) => name)).toEqual([
      'keep_as_proposed',
      'amend_multiplier',
      'phase_in',
      'raise_everyone',
    ]);
    expect(choices.map(({ outlook }) => outlook!.tick)).toEqual([8, 8, 8, 8]);
    const middles = choices.map(({ outlook }) => outlook!.mean_opinion.middle);
    // Nobody chooses: it stays as proposed.
    expect(current_state.outlook!.mean_opinion.middle).toBe(middles[0]);
    expect(new Set(middles).size).toBe(choices.length);
  });

  test('is taken once', () => {
    const run = actInRun(started(), 'phase_in', {});
    expect(() => actInRun(run, 'phase_in', {})).toThrow(SimulationFault);
  });

  test.each([
    ['amend_multiplier', { multiplier: 2.5 }, 'multiplier: expected a number from 1.1 to 2, found 2.5.'],
    ['amend_multiplier', { multiplier: 'two' }, 'multiplier: expected a number from 1.1 to 2, found "two".'],
    ['amend_multiplier', { m: 2 }, 'Expected multiplier, found "m".'],
    ['phase_in', { slowly: 1 }, 'Expected no parameters, found "slowly".'],
    ['brief_sentinel', { sentinel: 'NOBODY' }, /^sentinel: expected one of ATLAS, /],
    ['__proto__', {}, /^Expected one of /],
  ])('refuses %s with %j', (name, parameters, message) => {
    expect(() => actInRun(started(), name, parameters)).toThrow(message);
  });
});

describe('a replay', () => {
  const recorded = {
    scenario: 'moral_dilemma',
    seed: 3,
    actions: [{ tick: 2, name: 'by_care', parameters: {} }],
  };

  test('stops where it is told to', () => {
    expect(replay({ ...recorded, tick: 6 }).world.tick).toBe(6);
    expect(replay(recorded).world.tick).toBe(2);
  });

  test.each([
    ['goes back', { ...recorded, tick: 1 }],
    ['goes on beyond the end', { ...recorded, tick: 99 }],
    [
      'has an action beyond the end',
      { ...recorded, actions: [{ tick: 99, name: 'by_care', parameters: {} }] },
    ],
    [
      'has an action that there is not',
      { ...recorded, actions: [{ tick: 2, name: 'by_luck', parameters: {} }] },
    ],
    ['has a seed that is none', { ...recorded, seed: 1.5 }],
    ['has a tick that is none', { ...recorded, tick: Number.NaN }],
    ['is of no scenario', { ...recorded, scenario: 'toString' }],
  ])('is refused where it %s', (_, wrong) => {
    expect(() => replay(wrong)).toThrow(SimulationFault);
  });
});
