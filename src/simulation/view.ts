import type { Cathedral } from '../../pipeline/ledger/event.ts';
import { communityVirtues } from './community-virtues.ts';
import { type Debrief, debriefOf } from './debrief.ts';
import { type Available, available, openedDecision } from './decisions.ts';
import { MICRO } from './economy.ts';
import { meanOpinion, polarisation, positionOf } from './opinions.ts';
import { NO_OUTLOOKS, type Outlook, type Outlooks, outlooksOf } from './outlooks.ts';
import { reasoningOf } from './reasoning.ts';
import { roundTo6 } from './round-to-6.ts';
import type { Action, Run } from './run.ts';
import type { Parameter, Scenario } from './scenario.ts';
import type { ByVirtue, Virtue } from './virtues.ts';
import type { Deliberation, Position, Sentinel, World } from './world.ts';

/** The cycle of tick 0. */
const FIRST_CYCLE = 151;

export interface ShownSentinel {
  id: string;
  cathedral: Cathedral;
  position: Position;
  reasoning: string;
  virtue_tags: readonly Virtue[];
  opinion: number;
  innate_opinion: number;
  stubbornness: number;
  status: 'operational' | 'offline' | 'recused';
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
  decisions: readonly { name: string; title: string; prompt: string; until: number; otherwise: string }[];
  /** The outlook if nobody chooses; null if no decision is open. */
  outlook: Outlook | null;
  happened: readonly string[];
  actions: readonly Action[];
  debrief: Debrief | null;
}

export interface ShownAction {
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
}

/** The public view of a run: the fields of the specification, and the structures that it leaves open. */
export interface Shown {
  scenario: string;
  seed: number;
  tick: number;
  sentinels: ShownSentinel[];
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
    sentinels: world.sentinels.map((_, i) => showSentinel(world, i)),
    current_state: showState(run, outlooks),
    next_actions: showActions(run, outlooks),
  };
}

function showSentinel(world: World, i: number): ShownSentinel {
  const { id, cathedral, stubbornness } = world.sentinels[i]!;
  const { innate, score, gi, drift, minted } = world.conditions;
  const opinion = world.conditions.opinion[i]!;
  return {
    id,
    cathedral,
    position: positionOf(opinion),
    ...reasoningOf(world, i),
    opinion,
    innate_opinion: innate[i]!,
    stubbornness,
    status: statusOf(world.sentinels[i]!),
    coordination_score: score[i]!,
    gi_score: gi[i]!,
    drift: drift[i]!,
    total_rewards: inMic(minted[i]!),
  };
}

export function statusOf({ isOnline, isRecused }: Sentinel): ShownSentinel['status'] {
  if (!isOnline) return 'offline';
  return isRecused ? 'recused' : 'operational';
}

export function inMic(millionths: number): number {
  return roundTo6(millionths / MICRO);
}

export function cycleOf({ tick }: World): string {
  return `C-${FIRST_CYCLE + tick}`;
}

function showState({ scenario, world, actions }: Run, { otherwise }: Outlooks): ShownState {
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
    decisions: showDecisions(world.open, scenario),
    outlook: otherwise,
    happened: world.happened,
    actions,
    debrief: isOver ? debriefOf(world, scenario) : null,
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

function showDecisions(open: World['open'], scenario: Scenario): ShownState['decisions'] {
  return open.map(({ name, until }) => {
    const { title, prompt, otherwise } = openedDecision(name, scenario);
    return { name, title, prompt, until, otherwise };
  });
}

function showActions({ world, scenario }: Run, outlooks: Outlooks): readonly ShownAction[] {
  return available(world, scenario).map((action) => ({
    ...showChoice(action),
    outlook: outlooks.choices.get(action.choice.name) ?? null,
  }));
}

type ShownChoice = Omit<ShownAction, 'outlook'>;

/** Cached by choice, so that all runs share one object. */
const CHOICES = new WeakMap<Available['choice'], ShownChoice>();

export function showChoice({ choice, decision }: Available): ShownChoice {
  const known = CHOICES.get(choice);
  if (known) return known;
  const { name, label, meaning, parameters = {} } = choice;
  const shown = { name, label, meaning, decision, parameters };
  CHOICES.set(choice, shown);
  return shown;
}
