import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutAction } from '../../src/simulation/counterfactual.ts';
import { playPlan } from '../../src/simulation/plan.ts';
import { type Run, stepRun } from '../../src/simulation/run.ts';
import { show } from '../../src/simulation/view.ts';
import { arbitraryPlay, play } from './arbitrary-run.ts';

/** Complete random runs with their debriefs. */
const ENDED = fc.sample(arbitraryPlay, { numRuns: 30, seed: 19 }).map((one) => {
  const run = stepRun(play(one), 100);
  return { run, debrief: show(run, { outlooks: false }).current_state.debrief! };
});

describe('a debrief', () => {
  test('has every action and every decision that took itself, in order, each by its label and its values', () => {
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
    }
  });

  test('says what would have been without an action: of the run without it', () => {
    let others = 0;
    for (const { run, debrief } of ENDED)
      for (const [i, { without }] of debrief.choices.filter(({ by }) => by === 'you').entries()) {
        const other = withoutAction(run, i);
        const ended = run.scenario.endings.find(({ name }) => name === other.run.world.ending)!;
        expect(without).toMatchObject({ ending: ended.name, title: ended.title });
        const isSame = other.run.world.ending === run.world.ending;
        expect(without!.said[0]!.includes('all the same')).toBe(isSame);
        others += isSame ? 0 : 1;
        const by = without!.mean_opinion - meanOf(run);
        const isTurned = temperOf(run) !== temperOf(other.run);
        const said = without!.said.join(' ');
        expect(said.includes('cannot be compared')).toBe(isTurned);
        expect(said.includes('closer to support')).toBe(by >= 0.005 && !isTurned);
        expect(said.includes('farther from support')).toBe(by <= -0.005 && !isTurned);
        expect(/no occasion/.test(without!.said.join())).toBe(other.dropped.length > 0);
      }
    expect(others).toBeGreaterThan(0);
  });

  test('is written for readers: no names of the engine, at most two numbers in a sentence', () => {
    for (const { debrief } of ENDED) {
      for (const { decision, label, moved, without } of debrief.choices) {
        expect(`${decision} ${label}`).not.toMatch(/_|undefined/);
        for (const sentence of [...moved, ...(without?.said ?? [])]) {
          const numbers = sentence.replaceAll(/“[^”]*”/g, '').match(/\d[\d,.]*/g) ?? [];
          expect(numbers.length).toBeLessThanOrEqual(2);
          expect(sentence).not.toMatch(/_|undefined|NaN|null/);
        }
      }
      for (const { values } of debrief.explained)
        for (const { name, value } of values) {
          expect(`${name} ${value}`).not.toMatch(/_(?!c )|undefined|NaN|null/);
          if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
        }
    }
  });

  test('has the formulas that mattered, and no other', () => {
    const quiet = playPlan('sentinel_disagreement', 1, {}, {});
    const raised = ENDED.filter(({ run: { world } }) =>
      Object.entries(world.economy.multipliers).some(
        ([cathedral, m]) =>
          m !== world.unchanged.multipliers[cathedral as keyof typeof world.unchanged.multipliers],
      ),
    );
    const formulas = ({ explained }: { explained: readonly { formula: string }[] }) =>
      explained.map(({ formula }) => formula);
    expect(formulas(show(quiet, { outlooks: false }).current_state.debrief!)).not.toContain('MII decay');
    expect(raised.length).toBeGreaterThan(0);
    for (const { debrief } of raised)
      expect(formulas(debrief)).toContain('Coordination score and logistic reward');
    for (const { run, debrief } of ENDED) {
      const { votes, dissent } = run.world.deliberation;
      expect(formulas(debrief).includes('Quorum and consensus')).toBe(votes.length > 0);
      expect(formulas(debrief).includes('Dissent protocol')).toBe(dissent !== 'none');
      expect(formulas(debrief).includes('MII decay')).toBe(run.world.economy.stopped > 0);
    }
  });
});

function temperOf({ world }: Run): number {
  return world.sentinels[0]!.temper;
}

function meanOf(run: Run): number {
  return show(run, { outlooks: false }).current_state.opinions.mean;
}
