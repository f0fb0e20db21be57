import { describe, expect, test } from 'vitest';
import { play } from './simulation/player.ts';
import { conversation } from './simulation/seam.ts';
import type { Update } from './simulation/story.ts';

// Recomputes ticks from updates as a client gets them, by the equations of docs/simulation.md and nothing of the engine.

/** What each sentinel is responsible for, and its drift and integrity without pressure. */
const PROFILES: Readonly<
  Record<string, readonly [apps: number, packages: number, workflows: number, drift: number, gi: number]>
> = {
  ATLAS: [9, 5, 27, 0.9, 0.974],
  HERMES: [8, 4, 22, 1.1, 0.968],
  ZEUS: [7, 5, 19, 1.6, 0.957],
  AUREA: [8, 5, 21, 0.7, 0.971],
  ZENITH: [6, 4, 18, 1, 0.966],
  DAEDALUS: [7, 5, 24, 1.3, 0.963],
  ECHO: [7, 4, 16, 0.8, 0.97],
  URIEL: [6, 5, 14, 0.6, 0.976],
  EVE: [6, 3, 13, 1.2, 0.965],
  JADE: [5, 3, 15, 0.9, 0.969],
};

const VIRTUES = ['integrity', 'temperance', 'justice', 'prudence', 'courage'] as const;
const round6 = (value: number) => Math.round(value * 1e6) / 1e6;
const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** W[i][j] ∝ trust[j] · (1 + kinship · [same cathedral]) ÷ (1 + (d[i][j] ÷ reach)²), W[i][i] ∝ 1 */
function influenceOf({ model, sentinels }: Update): number[][] {
  const { kinship, reach } = model.levers;
  return sentinels.map((listener, i) => {
    const row = sentinels.map((speaker, j) => {
      if (i === j) return 1;
      if (speaker.status !== 'operational') return 0;
      const gaps = VIRTUES.map(
        (virtue) => (model.sentinels[i]!.weights[virtue] - model.sentinels[j]!.weights[virtue]) ** 2,
      );
      const distance = Math.sqrt(sumOf(gaps));
      const kin = listener.cathedral === speaker.cathedral ? 1 + kinship : 1;
      return (model.sentinels[j]!.trust * kin) / (1 + (distance / reach) ** 2);
    });
    return row.map((entry) => entry / sumOf(row));
  });
}

/** u = (1 + clamp(3 · Σ weight · effect + interest · stake + lure · drift ÷ 10 + temper, −1, 1)) ÷ 2 */
function ownOf({ model, sentinels }: Update): number[] {
  const { interest, lure } = model.levers;
  return sentinels.map(({ cathedral, drift }, i) => {
    const { weights, temper } = model.sentinels[i]!;
    const virtues = sumOf(VIRTUES.map((virtue) => weights[virtue] * model.effects[virtue]));
    const stake = interest * (model.stakes[cathedral] ?? 0);
    return round6((1 + clamp(3 * virtues + stake + (lure * drift) / 10 + temper, -1, 1)) / 2);
  });
}

/** x(t+1) = Λ·W·x(t) + (I − Λ)·u; offline sentinels keep their opinion. */
function exchanged(update: Update, matrix: readonly number[][], opinions: readonly number[]): number[] {
  const own = ownOf(update);
  return update.sentinels.map(({ status }, i) => {
    if (status === 'offline') return opinions[i]!;
    const { stubbornness } = update.model.sentinels[i]!;
    const heard = sumOf(matrix[i]!.map((weight, j) => weight * opinions[j]!));
    return (1 - stubbornness) * heard + stubbornness * own[i]!;
  });
}

/** Includes actions, settings, drift that spreads, sentinels that leave and that are recused. */
function updatesOf(): Update[][] {
  const runs = [
    ...'cathedral_multiplier_proposal economic_failure_cascade model_drift'.split(' '),
    ...'conflicting_incentives emergency_protocol_activation'.split(' '),
  ].flatMap((scenario) => [3, 5].map((seed) => play(scenario, seed, 'any choices').updates));
  const say = conversation();
  const ask = (message: object) => JSON.parse(say(message)) as Update;
  const settings = { stubbornness: 2, reach: 0.7, lock_share: 0.4 };
  ask({ action: 'start_simulation', scenario: 'sentinel_disagreement', seed: 3, settings, paused: true });
  ask({ action: 'step' });
  const parameters = { sentinel: 'EVE', virtue: 'prudence' };
  const updates = [ask({ action: 'take_action', name: 'brief_sentinel', parameters })];
  while (!updates.at(-1)!.current_state.is_over) updates.push(ask({ action: 'step' }));
  return [...runs, updates];
}

const RUNS = updatesOf();
/** Every two updates of which the second is one tick later, and the change of the model between them is not. */
const TICKS = RUNS.flatMap((updates) =>
  updates.slice(1).flatMap((after, i) => {
    const before = updates[i]!;
    return after.tick === before.tick + 1 && isUndisturbed(before, after) ? [{ before, after }] : [];
  }),
);

/** An event or a decision that takes itself comes before the exchange of views, the outcome of a vote after it. */
function isUndisturbed(before: Update, after: Update): boolean {
  const inputs = ({ model, sentinels, current_state }: Update) =>
    JSON.stringify([
      model.levers,
      model.effects,
      model.stakes,
      model.influence,
      model.sentinels,
      sentinels.map(({ status }) => status),
      current_state.economy.multipliers,
    ]);
  return (
    inputs(before) === inputs(after) &&
    !before.current_state.decisions.some(({ until }) => until <= after.tick) &&
    after.current_state.happened.length === 0
  );
}

describe('from the numbers of an update alone follow', () => {
  test('most ticks: nothing else is needed than what it says', () => {
    expect(TICKS.length).toBeGreaterThan(80);
  });

  test('the influences and the own opinions that it prints', () => {
    for (const update of RUNS.flat().filter(({ tick }) => tick % 5 === 0)) {
      const { model, sentinels } = update;
      expect(influenceOf(update).map((row) => row.map(round6))).toEqual(model.influence);
      expect(ownOf(update)).toEqual(sentinels.map(({ innate_opinion }) => innate_opinion));
    }
  });

  test('the opinions of the next update, to the last digit that it prints', () => {
    for (const { before, after } of TICKS) {
      const opinions = before.sentinels.map(({ opinion }) => opinion);
      const next = exchanged(before, influenceOf(before), opinions).map(round6);
      expect(next).toEqual(after.sentinels.map(({ opinion }) => opinion));
      // With the printed matrix instead of the weights, within its rounding.
      const printed = exchanged(before, before.model.influence as number[][], opinions);
      for (const [i, opinion] of printed.entries())
        expect(Math.abs(opinion - after.sentinels[i]!.opinion)).toBeLessThanOrEqual(6e-6);
      const movement = Math.max(...next.map((opinion, i) => Math.abs(opinion - opinions[i]!)));
      expect(after.current_state.opinions.movement).toBeCloseTo(movement, 9);
    }
  });

  test('the votes', () => {
    let votes = 0;
    for (const updates of RUNS)
      for (const [i, { tick, sentinels, current_state }] of updates.entries()) {
        const vote = current_state.deliberation.votes.at(-1);
        const before = updates[i - 1];
        if (!before || before.tick !== tick - 1 || vote?.tick !== tick) continue;
        const statuses = JSON.stringify(sentinels.map(({ status }) => status));
        if (statuses !== JSON.stringify(before.sentinels.map(({ status }) => status))) continue;
        const cast = sentinels.filter(({ status }) => status === 'operational');
        const [support, oppose, abstain] = [
          cast.filter(({ opinion }) => opinion >= 0.55).length,
          cast.filter(({ opinion }) => opinion <= 0.45).length,
          cast.filter(({ opinion }) => opinion > 0.45 && opinion < 0.55).length,
        ];
        const turnout = round6((support + oppose) / 10);
        const agreement = support + oppose === 0 ? 0 : round6(support / (support + oppose));
        const { quorum, consensus } = before.current_state.deliberation;
        const decided =
          agreement >= consensus ? 'carried' : agreement <= round6(1 - consensus) ? 'rejected' : 'divided';
        const result = turnout < quorum ? 'no_quorum' : decided;
        expect(vote).toEqual({ tick, support, oppose, abstain, turnout, agreement, result });
        votes += 1;
      }
    expect(votes).toBeGreaterThan(4);
  });

  test('the economy of the next update: all but the noise of drift, which is at most 0.1', () => {
    for (const { before, after } of TICKS) {
      const { levers } = before.model;
      const matrix = influenceOf(before);
      const was = before.current_state.economy;
      const is = after.current_state.economy;
      let minted = 0;
      const gis: number[] = [];
      for (const [i, one] of after.sentinels.entries()) {
        const [apps, packages, workflows, drift, gi] = PROFILES[one.id]!;
        const then = before.sentinels[i]!;
        if (one.status === 'offline') {
          expect(one.total_rewards).toBe(then.total_rewards);
          continue;
        }
        const heard = sumOf(matrix[i]!.map((weight, j) => weight * before.sentinels[j]!.drift));
        const quiet =
          then.drift +
          levers.recovery * (drift - then.drift) +
          before.model.sentinels[i]!.pressure +
          levers.contagion * (heard - then.drift);
        expect(Math.abs(one.drift - clamp(quiet, 0, 10))).toBeLessThanOrEqual(0.100001);
        expect(one.gi_score).toBe(round6(clamp(gi - 0.02 * (one.drift - drift), 0, 1)));
        gis.push(one.gi_score);
        const work = 0.4 * apps + 0.3 * packages + 0.2 * workflows + 0.1 * (10 - one.drift);
        // Of a sentinel that was offline, the days of uptime are its own.
        const wasAway = RUNS.some(
          (updates) =>
            updates.includes(after) &&
            updates.some(({ tick, sentinels }) => tick < after.tick && sentinels[i]!.status === 'offline'),
        );
        if (!wasAway) expect(one.coordination_score).toBeCloseTo(work * (1 + Math.log(151 + after.tick)), 5);
        const curve = 1000 / (1 + Math.exp(-0.05 * (one.coordination_score - 50)));
        const reward = curve * (was.multipliers[one.cathedral] ?? 1) * levers.mint_share;
        const earned = is.minting_active ? round6(reward) : 0;
        expect(one.total_rewards).toBeCloseTo(then.total_rewards + earned, 5);
        minted += Math.round(earned * 1e6);
      }
      expect(is.mii).toBe(round6(clamp(sumOf(gis) / gis.length - was.strain, 0, 1)));
      expect(is.threshold).toBe(round6((95 - 2 * Math.log10(was.total_supply / 1e6)) / 100));
      expect(is.minting_active).toBe(is.mii >= is.threshold && levers.mint_share > 0);
      expect(is.strain).toBe(round6(clamp(was.strain * (1 - levers.mending) + levers.strain_rate, 0, 1)));
      expectStocks(before, after, minted);
    }
  });
});

function expectStocks(before: Update, after: Update, minted: number): void {
  const { levers } = before.model;
  const micro = (mic: number) => Math.round(mic * 1e6);
  const [was, is] = [before.current_state.economy, after.current_state.economy];
  const lock = Math.floor(minted * levers.lock_share);
  const free = Math.floor(micro(was.locked) * levers.unlock_rate);
  const circulating = micro(was.circulating) + minted - lock + free;
  const burned = Math.floor(circulating * levers.burn_rate);
  expect(micro(is.circulating)).toBe(circulating - burned);
  expect(micro(is.locked)).toBe(micro(was.locked) + lock - free);
  expect(micro(is.burned)).toBe(micro(was.burned) + burned);
  expect(micro(is.total_supply)).toBe(micro(was.total_supply) + minted);
}
