import type { Cathedral } from '../../pipeline/ledger/event.ts';
import type { Change } from './change.ts';
import type { Virtue } from './virtues.ts';
import type { Status, World } from './world.ts';

/** A parameter of a choice, with the value that it has where none is given. */
export type Parameter =
  | { kind: 'number'; minimum: number; maximum: number; default: number; meaning: string }
  | { kind: 'one_of'; values: readonly string[]; default: string; meaning: string };

export type Parameters = Readonly<Record<string, number | string>>;

export interface Choice {
  /** What `take_action` names; no other choice of the scenario has it. */
  name: string;
  label: string;
  /** What it does, for who is to choose. */
  meaning: string;
  parameters?: Readonly<Record<string, Parameter>>;
  change: Change | ((parameters: Parameters, world: World) => Change);
}

/** A point at which the player may choose, for a time; then the choice `otherwise` is taken. */
export interface Decision {
  name: string;
  title: string;
  prompt: string;
  /** Looked at after each tick until it has opened once. */
  opens: (world: World) => boolean;
  /** Ticks */
  within: number;
  otherwise: string;
  choices: readonly Choice[];
}

/** Something that happens by itself, once. */
export interface ScenarioEvent {
  name: string;
  when: (world: World) => boolean;
  change: Change | ((world: World) => Change);
}

export interface Ending {
  name: string;
  title: string;
  text: string;
  /** The first ending that was reached is the run's. The last one of a scenario always is. */
  isReached: (world: World) => boolean;
}

/** A story with its world, as data and small functions. */
export interface Scenario {
  name: string;
  title: string;
  /** Paragraphs. */
  story: readonly string[];
  /** What is to be decided. */
  question: string;
  /** What is worth asking afterwards. */
  lesson: string;
  effects: Readonly<Partial<Record<Virtue, number>>>;
  stakes?: Readonly<Partial<Record<Cathedral, number>>>;
  /** The world before the first tick, as a change of the usual one. */
  start: Change;
  /** Ticks of a round, and rounds of the time box. */
  roundTicks: number;
  rounds: number;
  /** The tick at which the run ends. */
  horizon: number;
  decisions: readonly Decision[];
  events?: readonly ScenarioEvent[];
  /** What follows at once when the deliberation has come to this. */
  outcomes?: Readonly<Partial<Record<Status, Change | ((world: World) => Change)>>>;
  endings: readonly Ending[];
}

/** Whether the proposal is in force, however that came about. */
export function isInForce({ deliberation: { status } }: World): boolean {
  return status === 'adopted' || status === 'adopted_with_dissent' || status === 'imposed';
}

/** Whether there is nothing left to vote on. */
export function isDecided({ deliberation: { status } }: World): boolean {
  return status !== 'open' && status !== 'held';
}
