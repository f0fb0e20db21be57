import type { Parameters } from '../../simulation/scenario.ts';
import type { ShownAction } from '../../simulation/view.ts';
import { make } from '../layout/make-element.ts';
import { parametersIn } from './decision-card.ts';
import { parameterField } from './parameter-field.ts';

/** The moves that are possible besides decisions, in a closed `details` element; null if there are none. */
export function movesCard(
  moves: readonly ShownAction[],
  act: (name: string, parameters: Parameters) => void,
): HTMLElement | null {
  if (moves.length === 0) return null;
  return make(
    'details',
    { class: 'moves' },
    make('summary', {}, 'Other moves'),
    ...moves.map((move) => moveForm(move, act)),
  );
}

function moveForm(move: ShownAction, act: (name: string, parameters: Parameters) => void): HTMLElement {
  const { name, label, meaning, parameters } = move;
  const form = make(
    'form',
    { 'data-action': name, autocomplete: 'off' },
    make('p', {}, meaning),
    ...Object.entries(parameters).map(([parameter, about]) =>
      parameterField(`${name}-${parameter}`, `${name}.${parameter}`, about),
    ),
    make('button', { type: 'submit' }, label),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    act(name, parametersIn(form, move));
  });
  return form;
}
