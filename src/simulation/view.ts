import { debriefOf } from './debrief.ts';
import { askedDecisions, available, decisionOf } from './decisions.ts';
import { communityVirtues, inMic } from './economy.ts';
import {
  influenceMatrix,
  meanOpinion,
  ownOpinions,
  polarisation,
  positionOf,
  statusOf,
  stubbornnessOf,
} from './opinions.ts';
import { lookAhead, outlookOf } from './outlooks.ts';
import type { SimulationUpdate } from './protocol/server-message.ts';
import { reasonOf } from './reasons.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Run } from './run.ts';
import { textOf } from './scenario.ts';
import type { World } from './world.ts';

/** The cycle of tick 0. */
const FIRST_CYCLE = 151;

/** What an update says of a run, whoever plays it. */
export type Shown = Omit<SimulationUpdate, 'type' | 'reply_to' | 'current_state'> & {
  current_state: Omit<SimulationUpdate['current_state'], 'is_running' | 'pace_ms'>;
};

interface ShowOptions {
  /** Whether to forecast each choice, which costs as much as a run. */
  outlooks: boolean;
  /** The first tick of which the log is shown; without it, the present one. */
  since?: number;
}

export function show(run: Run, { outlooks, since }: ShowOptions = { outlooks: true }): Shown {
  const { scenario, seed, settings, actions, world } = run;
  const { tick, economy, deliberation, levers } = world;
  const { total, circulating, locked, burned, mii, threshold, isMinting, strain, multipliers } = economy;
  const { status, round, rounds, votes, dissenters, dissent, roundEnds } = deliberation;
  const is_over = world.ending !== null;
  const asked = askedDecisions(world);
  return {
    scenario: scenario.name,
    seed,
    tick,
    sentinels: showSentinels(world),
    model: showModel(world),
    current_state: {
      cycle: `C-${FIRST_CYCLE + tick}`,
      is_over,
      horizon: scenario.horizon,
      deliberation: {
        ...{ status, round, rounds, votes, dissenters, dissent, round_ends: roundEnds },
        ...{ quorum: levers.quorum, consensus: levers.consensus },
      },
      opinions: { mean: meanOpinion(world), polarisation: polarisation(world), movement: world.movement },
      virtues: communityVirtues(world),
      economy: {
        total_supply: inMic(total),
        circulating: inMic(circulating),
        locked: inMic(locked),
        burned: inMic(burned),
        ...{ mii, threshold, minting_active: isMinting, strain, multipliers },
      },
      question: textOf(scenario.question, world),
      decisions: asked.map(({ name, until }) => {
        const { title, prompt, otherwise } = decisionOf(scenario, name);
        return { name, title, prompt: textOf(prompt, world), until, otherwise };
      }),
      outlook: outlooks && asked.length > 0 ? lookAhead(world, scenario) : null,
      happened: world.log.filter((entry) => entry.tick >= (since ?? tick)),
      settings,
      actions,
      debrief: is_over ? debriefOf(run) : null,
    },
    next_actions: available(world, scenario).map((action) => {
      const { choice, decision } = action;
      const { name, label, meaning, parameters = {} } = choice;
      const outlook = outlooks && decision !== null ? outlookOf(world, scenario, action) : null;
      return { name, label, meaning: textOf(meaning, world), decision, parameters, outlook };
    }),
  };
}

function showSentinels(world: World): Shown['sentinels'] {
  const own = ownOpinions(world);
  const { opinion, score, gi, drift, minted } = world.conditions;
  return world.sentinels.map((sentinel, i) => ({
    id: sentinel.id,
    cathedral: sentinel.cathedral,
    position: positionOf(opinion[i]!),
    ...reasonOf(world, i),
    opinion: opinion[i]!,
    innate_opinion: own[i]!,
    stubbornness: stubbornnessOf(sentinel, world.levers),
    status: statusOf(sentinel),
    coordination_score: score[i]!,
    gi_score: gi[i]!,
    drift: drift[i]!,
    total_rewards: inMic(minted[i]!),
  }));
}

function showModel({ sentinels, levers, effects, stakes }: World): Shown['model'] {
  const matrix = influenceMatrix(sentinels, levers);
  const size = sentinels.length;
  return {
    levers,
    effects,
    stakes,
    influence: sentinels.map((_, i) => Array.from(matrix.subarray(i * size, (i + 1) * size), roundTo6)),
    sentinels: sentinels.map((sentinel) => {
      const { id, weights, trust, temper, pressure } = sentinel;
      return { id, weights, trust, temper, pressure, stubbornness: stubbornnessOf(sentinel, levers) };
    }),
  };
}
