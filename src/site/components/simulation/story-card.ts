import { askFor } from './decision-card.ts';
import { make } from './make-element.ts';
import { FIRST_QUESTION, type Prediction } from './predictions.ts';

/** The story, and the one thing to do first: to say what one expects. That starts the run. */
export function storyCard(
  story: readonly string[],
  begin: (expected: Prediction['expected'] | null) => void,
): HTMLElement {
  const ask = askFor(FIRST_QUESTION, 'Start without a guess');
  ask.onAnswer = begin;
  return make(
    'section',
    { class: 'story' },
    make('h3', { tabindex: -1 }, 'The story'),
    ...story.map((paragraph) => make('p', {}, paragraph)),
    ask.element,
    make('p', { class: 'note' }, 'Your guess starts the run. It stops at your first decision.'),
  );
}
