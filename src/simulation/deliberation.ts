import { applyChange, changeOf } from './change.ts';

import { hasVoice, positionOf } from './opinions.ts';
import { roundTo6 } from './round-to-6.ts';
import { isDecided, isInForce, type Scenario } from './scenario.ts';
import type { Deliberation, Status, Vote, World } from './world.ts';

/** Ends a round: holds the vote and applies its result. */
export function deliberate(world: World, scenario: Scenario): World {
  const { deliberation } = world;
  if (deliberation.status !== 'open' || world.tick < deliberation.roundEnds) return world;
  const vote = takeVote(world);
  const voted = { ...deliberation, votes: [...deliberation.votes, vote] };
  return RESULTS[vote.result]({ ...world, deliberation: voted }, scenario);
}

/**
 * Quorum: turnout of at least `quorum`. Consensus: agreement of at least `consensus` carries, of at most 1 − `consensus`
 * rejects.
 */
export function takeVote(world: World): Vote {
  const counts = { support: 0, oppose: 0, abstain: 0 };
  for (const [i, opinion] of world.conditions.opinion.entries()) {
    if (!hasVoice(world.sentinels[i]!)) continue;
    const position = positionOf(opinion);
    counts[position === 'support_with_conditions' ? 'support' : position] += 1;
  }
  const taken = counts.support + counts.oppose;
  const turnout = roundTo6(taken / world.sentinels.length);
  const agreement = taken === 0 ? 0 : roundTo6(counts.support / taken);
  return { tick: world.tick, ...counts, turnout, agreement, result: resultOf(turnout, agreement, world) };
}

function resultOf(turnout: number, agreement: number, { levers }: World): Vote['result'] {
  if (turnout < levers.quorum) return 'no_quorum';
  if (agreement >= levers.consensus) return 'carried';
  return agreement <= roundTo6(1 - levers.consensus) ? 'rejected' : 'divided';
}

const RESULTS: Readonly<Record<Vote['result'], (world: World, scenario: Scenario) => World>> = {
  carried: carry,
  rejected: (world, scenario) => conclude(world, 'rejected', scenario),
  divided: nextRound,
  no_quorum: nextRound,
};

/**
 * Sentinels that oppose a carried proposal dissent. The first dissent holds the decision up; the second time, the proposal is
 * adopted with the dissent on record.
 */
function carry(world: World, scenario: Scenario): World {
  const dissenters = dissentersOf(world);
  if (dissenters.length === 0) return conclude(world, 'adopted', scenario);
  if (world.deliberation.dissent !== 'none')
    return conclude(withDissent(world, { dissenters }), 'adopted_with_dissent', scenario);
  const held = withDissent(world, { status: 'held', dissent: 'pending', dissenters });
  return applyChange(held, {
    told: `Carried, but ${listed(dissenters)} ${dissenters.length === 1 ? 'dissents' : 'dissent'}, which holds the decision up.`,
  });
}

function dissentersOf({ sentinels, conditions }: World): string[] {
  return sentinels
    .filter((one, i) => hasVoice(one) && positionOf(conditions.opinion[i]!) === 'oppose')
    .map(({ id }) => id);
}

function nextRound(world: World, scenario: Scenario): World {
  const { round, rounds } = world.deliberation;
  if (round >= rounds) return conclude(world, 'lapsed', scenario);
  return openRound(world, scenario);
}

function openRound(world: World, scenario: Scenario): World {
  const round = world.deliberation.round + 1;
  return withDissent(world, { status: 'open', round, roundEnds: world.tick + scenario.roundTicks });
}

/** Doubles the weight of the dissenters for one more round, which does not count towards the time box. */
export function hearDissent(world: World, scenario: Scenario): World {
  const { dissenters, rounds } = world.deliberation;
  const louder = world.sentinels.map((one) =>
    dissenters.includes(one.id) ? { ...one, trust: roundTo6(2 * one.trust) } : one,
  );
  const listening = applyChange(
    { ...world, sentinels: louder },
    { told: `The assembly hears ${listed(dissenters)} for one more round, and gives them twice the weight.` },
  );
  const heard = withDissent(listening, { dissent: 'heard', rounds: rounds + 1 });
  return openRound(heard, scenario);
}

/** What overruling a dissent costs the integrity index. */
const OVERRIDE_STRAIN = 0.008;

export function overrideDissent(world: World, scenario: Scenario): World {
  const strain = OVERRIDE_STRAIN * world.deliberation.dissenters.length;
  const strained = applyChange(withDissent(world, { dissent: 'overridden' }), {
    strain,
    told: `You pass over the dissent of ${listed(world.deliberation.dissenters)}. It strains the integrity index.`,
  });
  return conclude(strained, 'adopted_with_dissent', scenario);
}

function withDissent(world: World, part: Partial<Deliberation>): World {
  return { ...world, deliberation: { ...world.deliberation, ...part } };
}

type Outcome = Exclude<Status, 'open' | 'held'>;

/** What has become of a proposal. */
export const OUTCOMES: Readonly<Record<Outcome, string>> = {
  adopted: 'The proposal is adopted.',
  adopted_with_dissent: 'The proposal is adopted, with a dissent on record.',
  imposed: 'The proposal is in force without a vote.',
  rejected: 'The proposal is rejected.',
  withdrawn: 'The proposal is withdrawn.',
  lapsed: 'Time has run out: the proposal lapses without a decision.',
};

function conclude(world: World, status: Outcome, scenario: Scenario): World {
  return followOutcome(withDissent(world, { status }), scenario);
}

/** When the deliberation has ended, announces the outcome and applies the scenario's consequences. */
export function followOutcome(world: World, { outcomes: { inForce, otherwise } = {} }: Scenario): World {
  const { status } = world.deliberation;
  if (!isDecided(world)) return world;
  const told = applyChange(world, { told: OUTCOMES[status as Outcome] });
  return applyChange(told, changeOf((isInForce(world) ? inForce : otherwise) ?? {}, told));
}

export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
