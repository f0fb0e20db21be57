import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyChange } from '../../src/simulation/change.ts';
import { withoutAction } from '../../src/simulation/counterfactual.ts';
import { exchangeViews } from '../../src/simulation/opinions.ts';
import { restingPoint } from '../../src/simulation/resting-point.ts';
import { actInRun, type Run, startRun, stepRun } from '../../src/simulation/run.ts';
import { scenarioNamed } from '../../src/simulation/scenarios.ts';
import { startWorld } from '../../src/simulation/start-world.ts';
import { innateOpinion } from '../../src/simulation/utility.ts';
import { whyOf } from '../../src/simulation/why.ts';
import { whyInWords } from '../../src/simulation/why-in-words.ts';
import type { World } from '../../src/simulation/world.ts';
import { arbitraryPlay, play } from './arbitrary-run.ts';

const RUNS = { numRuns: 40, seed: 19 };
const world = startWorld(scenarioNamed('sentinel_disagreement'), 1);
const sum = (parts: Readonly<Record<string, number>>) => Object.values(parts).reduce((a, b) => a + b, 0);

/** The worlds before and after each action of a run. */
function actionsOf(of: Parameters<typeof play>[0]): { before: World; after: World }[] {
  const found: { before: World; after: World }[] = [];
  let last: Run | null = null;
  play(of, (run) => {
    if (last && run.actions.length > last.actions.length)
      found.push({ before: last.world, after: run.world });
    last = run;
  });
  return found;
}

describe('the parts of what an action moved', () => {
  test('sum to it, for every sentinel and whatever the action is', () => {
    fc.assert(
      fc.property(arbitraryPlay, (one) => {
        for (const { before, after } of actionsOf(one)) {
          const { sentinels } = whyOf(before, after);
          for (const [i, { own_opinion, own_parts, resting_opinion, resting_parts }] of sentinels.entries()) {
            expect(own_opinion.after).toBe(
              innateOpinion(after.sentinels[i]!, after.conditions.drift[i]!, after),
            );
            expect(sum(own_parts)).toBeCloseTo(own_opinion.after - own_opinion.before, 9);
            if (resting_opinion && resting_parts)
              expect(sum(resting_parts)).toBeCloseTo(resting_opinion.after - resting_opinion.before, 9);
          }
        }
      }),
      RUNS,
    );
  });

  test('are of the virtue, the stake, the lure and the weights that changed, and of nothing else', () => {
    const part = (after: World, i = 0) => whyOf(world, after).sentinels[i]!.own_parts;
    const { weights } = world.sentinels[0]!;
    const just = part(applyChange(world, { effects: { justice: 0.1 } }));
    expect(just.justice).toBeCloseTo((3 * weights.justice * 0.1) / 2, 5);
    expect({ ...just, justice: 0 }).toEqual({ ...part(world), justice: 0 });
    const staked = part(applyChange(world, { stakes: { 'FOR-GOVERNMENTS': 0.5 } }));
    expect(staked.stake).toBeCloseTo((world.levers.interest * 0.5) / 2, 5);
    const { drift } = world.conditions;
    const lured = part(applyChange(world, { levers: { lure: 0.4 } }));
    expect(lured.lure).toBeCloseTo((0.4 * drift[0]!) / 10 / 2, 5);
    const run = actInRun(stepRun(startRun('sentinel_disagreement', 1), 1), 'brief_sentinel', {
      sentinel: 'ATLAS',
      virtue: 'courage',
    });
    const before = stepRun(startRun('sentinel_disagreement', 1), 1).world;
    const { own_parts, own_opinion } = whyOf(before, run.world).sentinels[0]!;
    expect(own_parts.weights).toBeCloseTo(own_opinion.after - own_opinion.before, 9);
    expect(own_parts.weights).not.toBe(0);
  });

  test('say what the bounds of the utility take away', () => {
    const far = applyChange(world, {
      effects: { integrity: 1, temperance: 1, justice: 1, prudence: 1, courage: 1 },
    });
    const { own_parts, own_opinion } = whyOf(world, far).sentinels[0]!;
    expect(own_opinion.after).toBe(1);
    expect(own_parts.limit).toBeLessThan(-0.5);
  });
});

describe('the resting point', () => {
  test('is where an exchange of views changes nothing', () => {
    fc.assert(
      fc.property(arbitraryPlay, (one) => {
        const { world: now } = play(one);
        const opinion = restingPoint(now);
        if (opinion === null) return;
        const next = exchangeViews({ ...now, conditions: { ...now.conditions, opinion } });
        expect(next.movement).toBeLessThanOrEqual(3e-6);
      }),
      RUNS,
    );
  });

  test('of sentinels that are not stubborn at all does not follow from the equation', () => {
    const pliant = { ...world, sentinels: world.sentinels.map((one) => ({ ...one, stubbornness: 0 })) };
    expect(restingPoint(pliant)).toBeNull();
    const [first, ...rest] = pliant.sentinels;
    const one = { ...pliant, sentinels: [{ ...first!, stubbornness: 0.1 }, ...rest] };
    // All end where the only stubborn one stands.
    const own = innateOpinion(first!, world.conditions.drift[0]!, world);
    for (const opinion of restingPoint(one)!) expect(opinion).toBeCloseTo(own, 5);
  });

  test('of a sentinel that is offline is its opinion', () => {
    const away = applyChange(world, { sentinels: { EVE: { isOnline: false } } });
    const eve = away.sentinels.findIndex(({ id }) => id === 'EVE');
    expect(restingPoint(away)![eve]).toBe(away.conditions.opinion[eve]);
    expect(whyOf(world, away).sentinels[eve]!.resting_parts).toBeNull();
    expect(whyOf(world, away).changed).toContainEqual({
      what: 'status',
      name: 'EVE',
      before: 'operational',
      after: 'offline',
    });
  });
});

test('a briefing that moves nobody by enough to notice is not said to have changed nothing', () => {
  // Everybody hears everybody nearly alike, and the proposal does next to nothing.
  const begun = stepRun(startRun('economic_failure_cascade', 1, { reach: 2 }), 1);
  const effects = { integrity: 0.01, temperance: 0, justice: 0, prudence: 0, courage: 0 };
  const dull = { ...begun, world: { ...begun.world, effects } };
  const briefed = actInRun(dull, 'brief_sentinel', { sentinel: 'ZEUS', virtue: 'integrity' });
  expect(whyInWords(whyOf(dull.world, briefed.world))).toEqual(['It moved no opinion by enough to notice.']);
});

describe('a run without one of its actions', () => {
  const begun = stepRun(startRun('cathedral_multiplier_proposal', 1), 1);

  test('is the run in which the decision went by its time', () => {
    const run = stepRun(actInRun(begun, 'phase_in', {}), 100);
    const { run: without, dropped } = withoutAction(run, 0);
    expect(without.world).toEqual(stepRun(begun, 100).world);
    expect(dropped).toEqual([]);
    expect(withoutAction(run, 0, 4).run.world.tick).toBe(4);
  });

  test('keeps the other actions, and lists those that are not there in it', () => {
    const briefed = { sentinel: 'JADE', virtue: 'justice' };
    const run = actInRun(actInRun(begun, 'phase_in', {}), 'brief_sentinel', briefed);
    expect(withoutAction(run, 0).run.actions).toEqual([run.actions[1]]);
    const once = actInRun(stepRun(startRun('sentinel_disagreement', 1), 1), 'call_vote', {});
    const twice = {
      ...once,
      actions: [...once.actions, { tick: 3, name: 'no_such_thing', parameters: {} }],
    };
    expect(withoutAction(twice, 0).dropped).toEqual([twice.actions[1]]);
  });
});
