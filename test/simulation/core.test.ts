import { describe, expect, test } from 'vitest';
import { AFTERMATH, advance } from '../../src/simulation/advance.ts';
import { takeAction } from '../../src/simulation/decisions.ts';
import { ownOpinions } from '../../src/simulation/opinions.ts';
import { playPlan } from '../../src/simulation/plan.ts';
import { actInRun, startRun, stepRun } from '../../src/simulation/run.ts';
import type { Scenario } from '../../src/simulation/scenario.ts';
import { scenarioNamed } from '../../src/simulation/scenarios.ts';
import { startWorld } from '../../src/simulation/start-world.ts';
import type { World } from '../../src/simulation/world.ts';

/** A scenario of one decision and one event, to be changed by a test. */
function scenarioWith(changes: Partial<Scenario>): Scenario {
  const { decisions, events, outcomes, ...rest } = scenarioNamed('model_drift');
  return { ...rest, decisions: [], events: [], horizon: 40, ...changes };
}

function endOf(scenario: Scenario, seed: number): World {
  let world = startWorld(scenario, seed);
  while (world.ending === null) world = advance(world, scenario, seed);
  return world;
}

describe('an event with a hazard', () => {
  const hazard = 0.2;
  const once = scenarioWith({
    events: [
      { name: 'other', when: () => true, change: { told: 'other' } },
      { name: 'leak', when: ({ tick }) => tick > 3, hazard: () => hazard, change: { told: 'leak' } },
    ],
  });

  test('happens once, after as many ticks on average as its probability says', () => {
    const waited = Array.from({ length: 400 }, (_, seed) => {
      const told = endOf(once, seed).log.filter(({ text }) => text === 'leak');
      expect(told.length).toBeLessThan(2);
      return (told[0]?.tick ?? 40) - 3;
    });
    const mean = waited.reduce((sum, ticks) => sum + ticks, 0) / waited.length;
    // 1 ÷ 0.2, with a standard error of 0.22.
    expect(mean).toBeGreaterThan(4.1);
    expect(mean).toBeLessThan(5.9);
  });
});

describe('a run', () => {
  test('ends a few ticks after nothing more can happen', () => {
    const settled = scenarioWith({ isSettled: ({ tick }) => tick >= 22 });
    const end = endOf(settled, 1);
    expect(end.settled).not.toBeNull();
    expect(end.tick).toBe(end.settled! + AFTERMATH);
  });

  test('with settings begins with them', () => {
    const { world } = startRun('model_drift', 1, { quorum: 0.9, contagion: 0.5 });
    expect(world.levers).toMatchObject({ quorum: 0.9, contagion: 0.5 });
    const stubborn = stepRun(startRun('model_drift', 1, { stubbornness: 4 }), 10).world;
    const open = stepRun(startRun('model_drift', 1, { stubbornness: 0 }), 10).world;
    const gap = (of: World) => {
      const own = ownOpinions(of);
      return of.conditions.opinion.reduce((sum, one, i) => sum + Math.abs(one - own[i]!), 0);
    };
    expect(gap(stubborn)).toBeLessThan(gap(open));
  });

  test.each([
    [{ quorum: 2 }, 'settings.quorum: expected a number from 0.3 to 1, found 2.'],
    [{ quorum: 'most' }, 'settings.quorum: expected a number from 0.3 to 1, found "most".'],
    [{ courage: 1 }, /^settings: expected some of interest, .*; found "courage"\.$/],
  ])('is refused with the settings %j', (settings, message) => {
    expect(() => startRun('model_drift', 1, settings)).toThrow(message);
  });
});

describe('a decision about something that is over', () => {
  const about = {
    name: 'about',
    title: 'About it',
    prompt: '',
    within: 9,
    otherwise: 'leave',
    choices: [{ name: 'leave', label: '', meaning: '', change: {} }],
  };

  test('closes without a choice, and does not open again', () => {
    const scenario = scenarioWith({
      decisions: [{ ...about, opens: ({ tick }) => tick >= 1, isMoot: ({ tick }) => tick >= 4 }],
    });
    const end = endOf(scenario, 1);
    expect(end.lapsed).toEqual(['about']);
    expect(end.taken.filter(({ decision }) => decision === 'about')).toEqual([]);
    expect(end.log.find(({ text }) => text.includes('About it'))!.tick).toBe(4);
  });

  test('does not open', () => {
    const scenario = scenarioWith({ decisions: [{ ...about, opens: () => true, isMoot: () => true }] });
    const end = endOf(scenario, 1);
    expect(end.lapsed).toEqual([]);
    expect(end.taken.filter(({ decision }) => decision === 'about')).toEqual([]);
  });

  test('cannot be taken', () => {
    const scenario = scenarioWith({
      decisions: [{ ...about, opens: () => true, isMoot: ({ tick }) => tick >= 2 }],
    });
    let world = startWorld(scenario, 1);
    for (let tick = 0; tick < 2; tick += 1) world = advance(world, scenario, 1);
    const leave = { name: 'leave', parameters: {} };
    expect(() => takeAction(world, leave, scenario)).toThrow('found "leave"');
  });
});

test('a plan is a run in which each decision is taken when it opens, with any seed', () => {
  const plan = { detection: { choice: 'audit', parameters: {} } };
  for (const seed of [1, 2]) {
    const run = playPlan('model_drift', seed, { quorum: 0.5 }, plan);
    let own = startRun('model_drift', seed, { quorum: 0.5 });
    while (run.actions[0]!.tick > own.world.tick) own = stepRun(own);
    own = stepRun(actInRun(own, 'audit', {}), 100);
    expect(run.world).toEqual(own.world);
    expect(run.world.ending).not.toBeNull();
  }
});
