import type { Cathedral } from '../../pipeline/ledger/events/event.ts';
import type { Change, Effect } from './change.ts';
import type { SimulationUpdate } from './protocol/server-message.ts';
import type { ScenarioName } from './scenario-names.ts';
import type { Status, Virtue, Vote, World } from './world.ts';

/** A parameter of a choice and its default value. */
export type Parameter = SimulationUpdate['next_actions'][number]['parameters'][string];
export type Amount = Exclude<Parameter, { kind: 'one_of' }>;

/** A number that the player sets with a choice. */
export function amount(minimum: number, maximum: number, usual: number, meaning: string): Amount {
  return { kind: 'number', minimum, maximum, default: usual, meaning };
}

/** Days, which a run has only whole. */
export function wholeDays(minimum: number, maximum: number, usual: number, meaning: string): Amount {
  return { ...amount(minimum, maximum, usual, meaning), kind: 'whole_number' };
}

export type Range = Pick<Amount, 'kind' | 'minimum' | 'maximum'>;

export function isInRange(value: unknown, { kind, minimum, maximum }: Range): boolean {
  const isNumber = kind === 'whole_number' ? Number.isInteger(value) : typeof value === 'number';
  return isNumber && (value as number) >= minimum && (value as number) <= maximum;
}

/** `a whole number from 1 to 14` */
export function rangeInWords({ kind, minimum, maximum }: Range): string {
  return `a ${kind.replace('_', ' ')} from ${minimum} to ${maximum}`;
}

export type Parameters = Readonly<Record<string, number | string>>;

/** Something that holds of a world, or does not. */
export type Condition = (world: World) => boolean;

/** A text, or how to say it of a state. */
export type Said = string | ((world: World) => string);

export function textOf(said: Said, world: World): string {
  return typeof said === 'string' ? said : said(world);
}

export interface Choice {
  /** The name that `take_action` uses, unique within the scenario. */
  name: string;
  label: string;
  /** What the choice does, for the player. */
  meaning: Said;
  /** Without it, always. */
  isOffered?: Condition;
  parameters?: Readonly<Record<string, Amount>>;
  /** Without it, nothing changes. */
  change?: Effect;
}

/** A decision that stays open for a limited time; then the choice `otherwise` is taken. */
export interface Decision {
  name: string;
  title: string;
  prompt: Said;
  /** Evaluated after each tick until the decision has opened once. */
  opens: Condition;
  /** Whether what it is about is over. Then it does not open, and closes without a choice if it is open. */
  isMoot: Condition;
  /** Ticks */
  within: number;
  otherwise: string;
  choices: readonly Choice[];
}

/** An event without the player. */
export interface ScenarioEvent {
  name: string;
  when: Condition;
  /** The probability per tick while `when` holds, in [0, 1]; without it, 1. */
  hazard?: number | ((world: World) => number);
  change: Effect;
}

export interface Ending {
  name: string;
  title: string;
  /** The sentences that it says of the run, in order. Each must be true of it. */
  claims: readonly Said[];
  /** For the player; states nothing. */
  question: string;
  /** The first ending whose condition holds is the run's. The last ending of a scenario has none. */
  isReached?: Condition;
}

/** A story and its world, as data and small functions. Each event happens once. */
export interface Scenario {
  name: ScenarioName;
  title: string;
  /** Paragraphs. */
  story: readonly string[];
  /** The question to decide; it follows the text of the proposal. */
  question: Said;
  effects: Readonly<Partial<Record<Virtue, number>>>;
  stakes?: Readonly<Partial<Record<Cathedral, number>>>;
  /** The initial world, as a change of the default one. */
  start: Change;
  /** Ticks per round, and rounds in the time box. */
  roundTicks: number;
  rounds: number;
  /** The tick at which the run ends at the latest. */
  horizon: number;
  /**
   * Whether nothing more can happen: no decision can open, no event can occur, and the ending cannot change. Only asked when the
   * deliberation is over and no decision is open. The run ends a few ticks later.
   */
  isSettled: Condition;
  decisions: readonly Decision[];
  events: readonly ScenarioEvent[];
  /** What follows when the deliberation has ended: with the proposal in force, or otherwise. */
  outcomes?: { inForce?: Effect; otherwise?: Effect };
  endings: readonly Ending[];
}

type ByName<T> = Readonly<Record<string, Omit<T, 'name'>>>;

/** A scenario as it is written: what has a name, by its name. */
interface Script extends Omit<Scenario, 'decisions' | 'events' | 'endings'> {
  decisions: Readonly<
    Record<
      string,
      Omit<Decision, 'name' | 'isMoot' | 'within' | 'choices'> &
        Partial<Pick<Decision, 'isMoot' | 'within'>> & { choices: ByName<Choice> }
    >
  >;
  events: ByName<ScenarioEvent>;
  endings: ByName<Ending>;
}

/** Most decisions are about the vote, and three days are long enough for them. */
const USUAL: Pick<Decision, 'isMoot' | 'within'> = { isMoot: isDecided, within: 3 };

export function scenarioOf({ decisions, events, endings, ...script }: Script): Scenario {
  return {
    ...script,
    decisions: named(decisions).map((one) => ({ ...USUAL, ...one, choices: named(one.choices) })),
    events: named(events),
    endings: named(endings),
  };
}

function named<T>(all: Readonly<Record<string, T>>): (T & { name: string })[] {
  return Object.entries(all).map(([name, one]) => ({ name, ...one }));
}

/** Whether the proposal is in force, by whatever means. */
export function isInForce({ deliberation: { status } }: World): boolean {
  return status === 'adopted' || status === 'adopted_with_dissent' || status === 'imposed';
}

/** Whether nothing is left to vote on. */
export function isDecided({ deliberation: { status } }: World): boolean {
  return status !== 'open' && status !== 'held';
}

/** The probability per tick of an event whose condition holds. */
export function hazardOf({ hazard = 1 }: ScenarioEvent, world: World): number {
  return typeof hazard === 'number' ? hazard : hazard(world);
}

// Conditions that scenarios share.

export const always: Condition = () => true;
export const never: Condition = () => false;

export function not(condition: Condition): Condition {
  return (world) => !condition(world);
}

export function all(...conditions: readonly Condition[]): Condition {
  return (world) => conditions.every((condition) => condition(world));
}

export function any(...conditions: readonly Condition[]): Condition {
  return (world) => conditions.some((condition) => condition(world));
}

/** The fact is noted as 1. */
export function fact(name: string): Condition {
  return ({ facts }) => facts[name] === 1;
}

/** The fact is noted, whatever its value is. */
export function known(name: string): Condition {
  return ({ facts }) => facts[name] !== undefined;
}

/** From so many ticks after the one that the fact has noted. */
export function since(name: string, ticks: number): Condition {
  return ({ facts, tick }) => tick >= (facts[name] ?? Infinity) + ticks;
}

/** Less than so many ticks after the one that the fact has noted. */
export function within(name: string, ticks: number): Condition {
  return ({ facts, tick }) => facts[name] !== undefined && tick < facts[name] + ticks;
}

export function fromDay(day: number): Condition {
  return ({ tick }) => tick >= day;
}

/** The event of this name has happened. */
export function happened(event: string): Condition {
  return ({ past }) => past.includes(event);
}

/** The decision of this name was taken, by the player or by itself. */
export function answered(name: string): Condition {
  return ({ taken }) => taken.some(({ decision }) => decision === name);
}

export function hasStatus(status: Status): Condition {
  return ({ deliberation }) => deliberation.status === status;
}

/** `one day`, `5 days`. */
export function days(count: number): string {
  return count === 1 ? 'one day' : `${count} days`;
}

/** The first of several texts whose condition holds; the last one has none. */
export function first(...texts: readonly [...(readonly [Condition, Said])[], Said]): Said {
  const [otherwise, ...cases] = texts.toReversed() as [Said, ...(readonly [Condition, Said])[]];
  return (world) => textOf(cases.findLast(([condition]) => condition(world))?.[1] ?? otherwise, world);
}

export function lastVote({ deliberation }: World): Vote {
  return deliberation.votes.at(-1)!;
}

/** The verb for a list of names. */
export function areOrIs(names: readonly unknown[]): 'is' | 'are' {
  return names.length === 1 ? 'is' : 'are';
}
