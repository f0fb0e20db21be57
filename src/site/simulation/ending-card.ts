import type { Debrief, DebriefChoice } from '../../simulation/debrief.ts';
import { make, makeButton } from '../layout/make-element.ts';
import { OUTCOMES, type Outcome } from './outcome-words.ts';
import { type Judged, TRENDS, type Trend } from './predictions.ts';

export interface EndingView {
  debrief: Debrief;
  predictions: readonly Judged[];
  /** Of a decision. */
  titleOf: (decision: string) => string;
}

export interface EndingHandlers {
  again: () => void;
  change: (choice: DebriefChoice) => void;
  share: () => void;
}

/** How the run ended, how often the reader was right, what each choice did, and what to do next. */
export function endingCard(
  { debrief: { title, text, question, choices }, predictions, titleOf }: EndingView,
  { again, change, share }: EndingHandlers,
): HTMLElement {
  const isYours = choices.some(({ by }) => by === 'you');
  return make(
    'section',
    { class: 'ended' },
    make('p', { class: 'label accented' }, 'The ending'),
    make('h3', { tabindex: -1 }, title),
    make('p', {}, text),
    make('p', { class: 'asked' }, question),
    make('p', { class: 'note' }, rightWords(predictions)),
    predictionList(predictions, titleOf),
    make('p', { class: 'commit' }, makeButton('Play again', again, 'primary'), makeButton('Share', share)),
    make('h4', {}, isYours ? 'What you chose, and what would have been' : 'You took no decision in this run'),
    choices.length > 0 && choiceList(choices, change),
  );
}

/** How often the reader was right, in at most two numbers. */
function rightWords(predictions: readonly Judged[]): string {
  const judged = predictions.filter(({ happened }) => happened !== null);
  const right = judged.filter(({ expected, happened }) => expected === happened).length;
  if (judged.length === 0) return 'You made no predictions in this run.';
  if (judged.length === 1)
    return right === 1 ? 'Your prediction was right.' : 'Your prediction was not what happened.';
  return `${right} of your ${judged.length} predictions were right.`;
}

/** Each prediction beside what happened. */
function predictionList(
  predictions: readonly Judged[],
  titleOf: (decision: string) => string,
): HTMLElement | null {
  if (predictions.length === 0) return null;
  return make(
    'ul',
    { class: 'predictions' },
    ...predictions.map(({ decision, tick, about, expected, happened }) =>
      make(
        'li',
        { 'data-right': String(expected === happened) },
        decision === null ? 'Before the run: ' : `Day ${tick}, ${titleOf(decision)}: `,
        `you expected “${saidOf(about, expected)}”. `,
        happened === expected ? 'It did.' : `In fact it ${saidOf(about, happened!).replace(/^it /, '')}.`,
      ),
    ),
  );
}

function saidOf(about: Judged['about'], value: Outcome | Trend): string {
  return about === 'proposal'
    ? `it ${OUTCOMES[value as Outcome].said}`
    : `the index ${TRENDS[value as Trend].said}`;
}

/** What was chosen, by the reader or by time; what it moved; and what would have been without it, with a button to change it. */
function choiceList(choices: readonly DebriefChoice[], change: (choice: DebriefChoice) => void): HTMLElement {
  return make(
    'ol',
    { class: 'chosen-list' },
    ...choices.map((choice) =>
      make(
        'li',
        { 'data-by': choice.by },
        make(
          'p',
          {},
          `Day ${choice.tick}. ${choice.decision ?? 'Your move'}: `,
          make('strong', {}, choice.label),
          choice.by === 'time' ? ', by default. Nobody chose in time.' : '. ',
          choice.by === 'you' && makeButton('Change this', () => change(choice), 'link screen-only'),
        ),
        ...(choice.without ? withoutParts(choice.moved, choice.without.said) : []),
      ),
    ),
  );
}

/** How it would have ended; and, to be opened, what the choice moved and what else would have been. */
function withoutParts(moved: readonly string[], [ending, ...others]: readonly string[]): HTMLElement[] {
  return [
    make('p', {}, ending),
    make(
      'details',
      {},
      make('summary', {}, 'What it moved'),
      make('p', { class: 'note' }, moved.join(' ')),
      make('p', { class: 'note' }, `Without it: ${others.join(' ')}`),
    ),
  ];
}
