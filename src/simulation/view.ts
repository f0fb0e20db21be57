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

/** How a run is played, and what is to be told of it. */
export interface Playing {
  /** ms between two ticks. */
  pace: number;
  /** Whether updates have forecasts of each choice, which cost as much as a run. */
  outlooks: boolean;
  /** When the next tick of a run that advances by itself is due, ms; null where none does. */
  due: number | null;
  /** The first tick of which the log is told; null: the present one. */
  since: number | null;
}

export function updateOfRun(run: Run, { pace, outlooks, due, since }: Playing): SimulationUpdate {
  const { scenario, seed, settings, actions, world } = run;
  const { tick, economy, deliberation, levers } = world;
  const { total, circulating, locked, burned, mii, threshold, isMinting, strain, multipliers } = economy;
  const { status, round, rounds, votes, dissenters, dissent, roundEnds } = deliberation;
  const is_over = world.ending !== null;
  const asked = askedDecisions(world);
  return {
    type: 'simulation_update',
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
      is_running: due !== null,
      pace_ms: pace,
    },
    next_actions: available(world, scenario).map((action) => {
      const { choice, decision } = action;
      const { name, label, meaning, parameters = {} } = choice;
      const outlook = outlooks && decision !== null ? outlookOf(world, scenario, action) : null;
      return { name, label, meaning: textOf(meaning, world), decision, parameters, outlook };
    }),
  };
}

function showSentinels(world: World): SimulationUpdate['sentinels'] {
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

function showModel({ sentinels, levers, effects, stakes }: World): SimulationUpdate['model'] {
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
