import fc from 'fast-check';
import { expect, test } from 'vitest';
import { debriefOf } from '../../src/simulation/debrief.ts';
import { decisionOf, labelOf } from '../../src/simulation/decisions.ts';
import { meanOpinion } from '../../src/simulation/opinions.ts';
import { actInRun, replay, stepRun, withoutAction } from '../../src/simulation/run.ts';
import { arbitraryPlay, play } from './arbitrary-run.ts';

/** Complete random runs with their debriefs. */
const ENDED = fc.sample(arbitraryPlay, { numRuns: 30, seed: 19 }).map((one) => {
  const run = stepRun(play(one), 100);
  return { run, debrief: debriefOf(run) };
});

test('a debrief has every action and every decision that took itself, in order, each by its label and its values', () => {
  for (const { run, debrief } of ENDED) {
    const mine = debrief.choices.filter(({ by }) => by === 'you');
    expect(mine.map(({ tick, choice }) => [tick, choice])).toEqual(
      run.actions.map(({ tick, name }) => [tick, name]),
    );
    for (const [i, { label }] of mine.entries())
      for (const value of Object.values(run.actions[i]!.parameters))
        expect(label).toContain(typeof value === 'string' ? value : String(Math.round(value * 1e6) / 1e6));
    const timed = debrief.choices.filter(({ by }) => by === 'time');
    expect(timed.length).toBe(run.world.taken.filter(({ isDefault }) => isDefault).length);
    const ticks = debrief.choices.map(({ tick }) => tick);
    expect(ticks).toEqual(ticks.toSorted((a, b) => a - b));
    for (const { decision, label } of debrief.choices)
      expect(`${decision} ${label}`).not.toMatch(/_|undefined/);
  }
});

test('a debrief says of each action how the run would have ended without it', () => {
  let others = 0;
  for (const { run, debrief } of ENDED)
    for (const [i, { without }] of debrief.choices.filter(({ by }) => by === 'you').entries()) {
      const { without: other, dropped } = withoutAction(run, i);
      const ended = run.scenario.endings.find(({ name }) => name === other.world.ending)!;
      expect(without).toEqual({
        ending: ended.name,
        title: ended.title,
        tick: other.world.tick,
        mean_opinion: meanOpinion(other.world),
        dropped: dropped.map(({ name }) => labelOf(name, run.scenario)),
      });
      others += other.world.ending === run.world.ending ? 0 : 1;
    }
  expect(others).toBeGreaterThan(0);
});

test('a run without an action is the run in which its decision went by its time, with the others where they are possible', () => {
  const recorded = {
    scenario: 'model_drift',
    seed: 7,
    actions: [{ tick: 1, name: 'audit', parameters: {} }],
  };
  const alone = replay({ ...recorded, tick: 46 });
  const none = replay({ ...recorded, actions: [], tick: 46 });
  expect(withoutAction(alone, 0)).toMatchObject({ without: { world: none.world }, dropped: [] });
  const briefing = { sentinel: 'EVE', virtue: 'justice' };
  const both = stepRun(actInRun(replay(recorded), 'brief_sentinel', briefing), 46);
  const { without: run, dropped } = withoutAction(both, 0);
  expect([run.actions.map(({ name }) => name), dropped]).toEqual([['brief_sentinel'], []]);
});

test('a run without an action has every other choice for which its decision opens, by its time at the latest', () => {
  let later = 0;
  for (const { run } of ENDED)
    for (const i of run.actions.keys()) {
      const { without, dropped } = withoutAction(run, i);
      const choicesOf = (name: string) => decisionOf(run.scenario, name).choices.map((choice) => choice.name);
      const taken = without.world.taken.flatMap(({ decision }) => choicesOf(decision));
      expect(dropped.filter(({ name }) => taken.includes(name))).toEqual([]);
      later += without.actions.filter((action) => !run.actions.includes(action)).length;
    }
  expect(later).toBeGreaterThan(0);
});
