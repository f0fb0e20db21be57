import { describe, expect, test } from 'vitest';
import { SimulationFault } from '../../src/simulation/fault.ts';
import { actInRun, replay, startRun, stepRun } from '../../src/simulation/run.ts';
import { SCENARIOS } from '../../src/simulation/scenarios.ts';
import { show } from '../../src/simulation/view.ts';
import { everyWay } from './every-way.ts';

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
  const ways = [1, 2, 3].map((seed) => everyWay(scenario, seed));

  test('has at least four endings by the player’s choices, whatever the seed', () => {
    for (const way of ways) expect(new Set(way.map(({ end }) => end.ending)).size).toBeGreaterThanOrEqual(4);
  });

  test('reaches every ending that it has', () => {
    const reached = new Set(ways.flat().map(({ end }) => end.ending));
    expect(scenario.endings.map(({ name }) => name).filter((name) => !reached.has(name))).toEqual([]);
  });

  test('ends at its horizon, whatever is chosen', () => {
    for (const { end } of ways.flat()) expect(end.tick).toBe(scenario.horizon);
  });

  test('has choices, decisions and endings of different names, and defaults that are there', () => {
    const choices = scenario.decisions.flatMap((decision) => decision.choices.map(({ name }) => name));
    expect(new Set(choices).size).toBe(choices.length);
    for (const { otherwise, choices: own } of scenario.decisions)
      expect(own.map(({ name }) => name)).toContain(otherwise);
    const endings = scenario.endings.map(({ name }) => name);
    expect(new Set(endings).size).toBe(endings.length);
    expect(new Set(scenario.decisions.map(({ name }) => name)).size).toBe(scenario.decisions.length);
  });

  test('takes every choice that it offers', () => {
    const taken = new Set(ways.flat().flatMap(({ choices }) => choices));
    const all = scenario.decisions.flatMap((decision) => decision.choices.map(({ name }) => name));
    expect(all.filter((name) => !taken.has(name))).toEqual([]);
  });

  test('tells a story, and afterwards which formula did what', () => {
    expect(scenario.story.length).toBeGreaterThanOrEqual(3);
    const { debrief } = show(stepRun(startRun(scenario.name, 1), scenario.horizon)).current_state;
    expect(debrief!.choices.length).toBeGreaterThan(0);
    expect(debrief!.explained.map(({ formula }) => formula)).toEqual([
      'Opinion dynamics (Friedkin and Johnsen, 1990)',
      'Virtue-weighted utility',
      'Quorum and consensus',
      'Dissent protocol',
      'Coordination score and logistic reward',
      'MII decay',
      'Supply',
    ]);
    for (const { said } of debrief!.explained) expect(said).not.toMatch(/NaN|undefined|null|Infinity/);
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
        prompt: 'Before the first vote the proposal can still be written otherwise.',
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
    expect(choices[2]!.outlook!.mean_opinion).toBeGreaterThan(current_state.outlook!.mean_opinion);
    expect(choices[3]!.outlook!.mean_opinion).toBeLessThan(current_state.outlook!.mean_opinion);
  });

  test('is taken once', () => {
    const run = actInRun(started(), 'phase_in', {});
    expect(() => actInRun(run, 'phase_in', {})).toThrow(SimulationFault);
  });

  test.each([
    ['amend_multiplier', { multiplier: 2.5 }, 'multiplier: expected a number from 1 to 2, found 2.5.'],
    ['amend_multiplier', { multiplier: 'two' }, 'multiplier: expected a number from 1 to 2, found "two".'],
    ['amend_multiplier', { m: 2 }, 'Expected multiplier, found "m".'],
    ['phase_in', { slowly: 1 }, 'Expected no parameters, found "slowly".'],
    ['brief_sentinel', { sentinel: 'NOBODY' }, /^sentinel: expected one of ATLAS, /],
    ['__proto__', {}, /^Now there are /],
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
    ['goes on beyond the end', { ...recorded, tick: 35 }],
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
