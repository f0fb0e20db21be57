import { formatToken } from '../../../../pipeline/words/phrase.ts';
import type { Debrief } from '../../../simulation/debrief.ts';
import { make } from './make-element.ts';

/** The ending, what led to it, and which formula did what. */
export function showDebrief(place: HTMLElement, debrief: Debrief | null): void {
  place.hidden = debrief === null;
  if (!debrief || place.dataset.key === JSON.stringify(debrief)) return;
  place.dataset.key = JSON.stringify(debrief);
  const { title, text, lesson, choices, explained } = debrief;
  place.replaceChildren(
    make('h3', {}, `The ending: ${title}`),
    make('p', {}, text),
    make('p', {}, lesson),
    make(
      'ul',
      {},
      ...choices.map(({ tick, decision, choice, by }) =>
        make(
          'li',
          {},
          `Tick ${tick}, ${decision}: ${formatToken(choice)}${by === 'time' ? ' (by itself)' : ''}`,
        ),
      ),
    ),
    make('h4', {}, 'Which formula did what'),
    make(
      'dl',
      { class: 'explained' },
      ...explained.flatMap(({ formula, equation, said }) => [
        make('dt', {}, formula),
        make('dd', {}, make('code', {}, equation), make('br', {}), said),
      ]),
    ),
  );
}
