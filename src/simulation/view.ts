import type { Cathedral } from '../../pipeline/ledger/events/event.ts';
import { type Debrief, debriefOf } from './debrief.ts';
import { askedDecisions, available, decisionOf } from './decisions.ts';
import { communityVirtues, inMic } from './economy.ts';
import type { Levers, Settings } from './levers.ts';
import {
  influenceMatrix,
  meanOpinion,
  ownOpinions,
  polarisation,
  positionOf,
  statusOf,
  stubbornnessOf,
} from './opinions.ts';
import { NO_OUTLOOKS, type Outlook, type Outlooks, outlooksOf } from './outlooks.ts';
import { reasonOf } from './reasons.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Action, Run } from './run.ts';
import { type Parameter, textOf } from './scenario.ts';
import type { ByVirtue, Deliberation, LogEntry, Position, Sentinel, Virtue, World } from './world.ts';

/** The cycle of tick 0. */
const FIRST_CYCLE = 151;

interface ShownSentinel {
  id: string;
  cathedral: Cathedral;
  position: Position;
  reasoning: string;
  virtue_tags: readonly Virtue[];
  opinion: number;
  innate_opinion: number;
  stubbornness: number;
  status: ReturnType<typeof statusOf>;
  coordination_score: number;
  gi_score: number;
  drift: number;
  /** MIC */
  total_rewards: number;
}

export interface ShownState {
  cycle: string;
  is_over: boolean;
  horizon: number;
  deliberation: Pick<Deliberation, 'status' | 'round' | 'rounds' | 'votes' | 'dissenters' | 'dissent'> & {
    round_ends: number;
    quorum: number;
    consensus: number;
  };
  opinions: { mean: number; polarisation: number; movement: number };
  virtues: ByVirtue;
  economy: {
    total_supply: number;
    circulating: number;
    locked: number;
    burned: number;
    mii: number;
    threshold: number;
    minting_active: boolean;
    strain: number;
    multipliers: Readonly<Partial<Record<Cathedral, number>>>;
  };
  /** The question to decide, by the present text of the proposal. */
  question: string;
  decisions: readonly { name: string; title: string; prompt: string; until: number; otherwise: string }[];
  /** The outlook if nobody chooses; null if no decision is open. */
  outlook: Outlook | null;
  /** What happened since the update before. */
  happened: readonly LogEntry[];
  settings: Settings;
  actions: readonly Action[];
  debrief: Debrief | null;
}

/** All that the next exchange of views follows from, besides the opinions themselves. */
interface ShownModel {
  levers: Levers;
  /** What the proposal does to each virtue. */
  effects: ByVirtue;
  stakes: World['stakes'];
  /** W: a row per listener, a column per speaker, in the order of the sentinels; rounded to six places. */
  influence: readonly (readonly number[])[];
  sentinels: readonly (Pick<Sentinel, 'id' | 'weights' | 'trust' | 'temper' | 'pressure'> & {
    /** Times the lever of that name. */
    stubbornness: number;
  })[];
}

interface ShownAction {
  name: string;
  label: string;
  meaning: string;
  /** The decision it belongs to; null for moves that are always possible. */
  decision: string | null;
  parameters: Readonly<Record<string, Parameter>>;
  /** The outlook with default parameters, as forecast when the decision opened; null for moves. */
  outlook: Outlook | null;
}

export interface ShowOptions {
  /** Whether to forecast each choice, which costs as much as the rest of a run. */
  outlooks: boolean;
  /** The first tick of which the log is shown; without it, the present one. */
  since?: number;
}

/** The public view of a run: the fields of the specification, and the structures that it leaves open. */
export interface Shown {
  scenario: string;
  seed: number;
  tick: number;
  sentinels: ShownSentinel[];
  model: ShownModel;
  current_state: ShownState;
  next_actions: readonly ShownAction[];
}

export function show(run: Run, options: ShowOptions = { outlooks: true }): Shown {
  const { scenario, seed, world, opened } = run;
  const outlooks = options.outlooks ? outlooksOf(opened, scenario) : NO_OUTLOOKS;
  return {
    scenario: scenario.name,
    seed,
    tick: world.tick,
    sentinels: showSentinels(world),
    model: showModel(world),
    current_state: showState(run, outlooks, options.since ?? world.tick),
    next_actions: showActions(run, outlooks),
  };
}

function showSentinels(world: World): ShownSentinel[] {
  const own = ownOpinions(world);
  return world.sentinels.map((_, i) => showSentinel(world, i, own[i]!));
}

function showSentinel(world: World, i: number, own: number): ShownSentinel {
  const { id, cathedral } = world.sentinels[i]!;
  const { score, gi, drift, minted } = world.conditions;
  const opinion = world.conditions.opinion[i]!;
  return {
    id,
    cathedral,
    position: positionOf(opinion),
    ...reasonOf(world, i),
    opinion,
    innate_opinion: own,
    stubbornness: stubbornnessOf(world.sentinels[i]!, world.levers),
    status: statusOf(world.sentinels[i]!),
    coordination_score: score[i]!,
    gi_score: gi[i]!,
    drift: drift[i]!,
    total_rewards: inMic(minted[i]!),
  };
}

function cycleOf({ tick }: World): string {
  return `C-${FIRST_CYCLE + tick}`;
}

function showState(run: Run, { otherwise }: Outlooks, since: number): ShownState {
  const { scenario, world, settings, actions } = run;
  const { deliberation, levers } = world;
  const { status, round, rounds, votes, dissenters, dissent, roundEnds } = deliberation;
  const shown = { status, round, rounds, votes, dissenters, dissent, round_ends: roundEnds };
  const isOver = world.ending !== null;
  return {
    cycle: cycleOf(world),
    is_over: isOver,
    horizon: scenario.horizon,
    deliberation: { ...shown, quorum: levers.quorum, consensus: levers.consensus },
    opinions: { mean: meanOpinion(world), polarisation: polarisation(world), movement: world.movement },
    virtues: communityVirtues(world),
    economy: showEconomy(world),
    question: textOf(scenario.question, world),
    decisions: showDecisions(run),
    outlook: otherwise,
    happened: world.log.filter(({ tick }) => tick >= since),
    settings,
    actions,
    debrief: isOver ? debriefOf(run) : null,
  };
}

function showModel({ sentinels, levers, effects, stakes }: World): ShownModel {
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

function showEconomy({ economy }: World): ShownState['economy'] {
  const { total, circulating, locked, burned, mii, threshold, isMinting, strain, multipliers } = economy;
  return {
    total_supply: inMic(total),
    circulating: inMic(circulating),
    locked: inMic(locked),
    burned: inMic(burned),
    mii,
    threshold,
    minting_active: isMinting,
    strain,
    multipliers,
  };
}

function showDecisions({ world, scenario }: Run): ShownState['decisions'] {
  return askedDecisions(world).map(({ name, until }) => {
    const { title, prompt, otherwise } = decisionOf(scenario, name);
    return { name, title, prompt: textOf(prompt, world), until, otherwise };
  });
}

function showActions({ world, scenario }: Run, outlooks: Outlooks): readonly ShownAction[] {
  return available(world, scenario).map(({ choice, decision }) => {
    const { name, label, meaning, parameters = {} } = choice;
    const outlook = outlooks.choices.get(name) ?? null;
    return { name, label, meaning: textOf(meaning, world), decision, parameters, outlook };
  });
}
