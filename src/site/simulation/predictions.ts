import { OUTLOOK_TICKS } from '../../simulation/outlooks.ts';
import { isDecided } from '../../simulation/scenario.ts';
import type { World } from '../../simulation/world.ts';
import { OUTCOME_NAMES, OUTCOMES, type Outcome, outcomeOf } from './outcome-words.ts';

/** How far a prediction reaches: as far as the forecast that it is compared with. */
export const WEEK = OUTLOOK_TICKS;
/** A smaller change of the index counts as none. */
const STEADY = 0.003;

export const TRENDS = {
  rises: { label: 'It rises', said: 'rises' },
  steady: { label: 'It hardly moves', said: 'hardly moves' },
  falls: { label: 'It falls', said: 'falls' },
} as const;

export type Trend = keyof typeof TRENDS;

/** What the reader expects. `decision` is null for the prediction before the run, which is about its end. */
export interface Prediction {
  tick: number;
  decision: string | null;
  /** Of the proposal, or, once it is decided, of the integrity index. */
  about: 'proposal' | 'index';
  expected: Outcome | Trend;
}

export interface Judged extends Prediction {
  /** Null while it is too early to tell. */
  happened: Outcome | Trend | null;
}

export interface Question {
  about: Prediction['about'];
  text: string;
  answers: readonly { value: Outcome | Trend; label: string }[];
}

const answersOf = <T extends string>(names: readonly T[], labels: Readonly<Record<T, { label: string }>>) =>
  names.map((value) => ({ value, label: labels[value].label }));

/** What to ask before a choice: about the proposal while it can still go either way, then about the index. */
export function questionBefore(world: World): Question {
  if (isDecided(world))
    return {
      about: 'index',
      text: 'What do you expect of the integrity index in the week that follows?',
      answers: answersOf(Object.keys(TRENDS) as Trend[], TRENDS) as Question['answers'],
    };
  return {
    about: 'proposal',
    text: 'Where do you expect the proposal to be a week later?',
    answers: answersOf(OUTCOME_NAMES, OUTCOMES) as Question['answers'],
  };
}

/** The question before the run. */
export const FIRST_QUESTION: Question = {
  about: 'proposal',
  text: 'What do you think will happen in the end?',
  answers: answersOf(OUTCOME_NAMES, OUTCOMES) as Question['answers'],
};

/** What became of a prediction, from the worlds of the run by tick. */
export function judge(prediction: Prediction, worlds: readonly World[]): Judged {
  const last = worlds.at(-1)!;
  const due = prediction.decision === null ? Number.POSITIVE_INFINITY : prediction.tick + WEEK;
  const world = last.tick >= due ? worlds[due]! : last.ending === null ? null : last;
  const before = worlds[Math.min(prediction.tick, worlds.length - 1)]!;
  return { ...prediction, happened: world && found(prediction.about, before, world) };
}

function found(about: Prediction['about'], before: World, after: World): Outcome | Trend {
  return about === 'proposal' ? outcomeOf(after.deliberation.status) : trendOf(before, after);
}

function trendOf(before: World, after: World): Trend {
  return trendBetween(before.economy.mii, after.economy.mii);
}

export function trendBetween(before: number, after: number): Trend {
  const change = after - before;
  if (Math.abs(change) < STEADY) return 'steady';
  return change > 0 ? 'rises' : 'falls';
}
