import type { Cathedral } from '../../pipeline/ledger/events/event.ts';
import { communityVirtues } from './community-virtues.ts';
import { type Debrief, debriefOf } from './debrief.ts';
import { type Available, askedDecisions, available, openedDecision } from './decisions.ts';
import { inMic } from './economy.ts';
import { statusOf } from './influence.ts';
import type { Settings } from './levers.ts';
import { meanOpinion, ownOpinions, polarisation, positionOf, stubbornnessOf } from './opinions.ts';
import { NO_OUTLOOKS, type Outlook, type Outlooks, outlooksOf } from './outlooks.ts';
import { reasoningOf } from './reasoning.ts';
import type { Action, Run } from './run.ts';
import { type Parameter, type Scenario, textOf } from './scenario.ts';
import { type ShownModel, shownModel } from './shown-model.ts';
import type { ByVirtue, Virtue } from './virtues.ts';
import { type Why, whyOf } from './why.ts';
import { whyInWords } from './why-in-words.ts';
import type { Deliberation, LogEntry, Position, World } from './world.ts';

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
  /** What the last action moved, until the next tick. */
  why: ShownWhy | null;
  debrief: Debrief | null;
}

interface ShownWhy extends Why {
  /** The same in sentences. */
  said: readonly string[];
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
    model: shownModel(world),
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
    ...reasoningOf(world, i, own),
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
    decisions: showDecisions(world, scenario),
    outlook: otherwise,
    happened: world.log.filter(({ tick }) => tick >= since),
    settings,
    actions,
    why: showWhy(run),
    debrief: isOver ? debriefOf(run) : null,
  };
}

function showWhy({ before, world }: Run): ShownWhy | null {
  if (before === null) return null;
  const why = whyOf(before, world);
  return { ...why, said: whyInWords(why) };
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

function showDecisions(world: World, scenario: Scenario): ShownState['decisions'] {
  return askedDecisions(world).map(({ name, until }) => {
    const { title, prompt, otherwise } = openedDecision(name, scenario);
    return { name, title, prompt: textOf(prompt, world), until, otherwise };
  });
}

function showActions({ world, scenario }: Run, outlooks: Outlooks): readonly ShownAction[] {
  return available(world, scenario).map((action) => ({
    ...showChoice(action, world),
    outlook: outlooks.choices.get(action.choice.name) ?? null,
  }));
}

type ShownChoice = Omit<ShownAction, 'outlook'>;

/** Cached by choice where it is the same in every state, so that all runs share one object. */
const CHOICES = new WeakMap<Available['choice'], ShownChoice>();

function showChoice({ choice, decision }: Available, world: World): ShownChoice {
  const known = CHOICES.get(choice);
  if (known) return known;
  const { name, label, meaning, parameters = {} } = choice;
  const shown = { name, label, meaning: textOf(meaning, world), decision, parameters };
  if (typeof meaning === 'string') CHOICES.set(choice, shown);
  return shown;
}
