import { formatNumber } from '../../../../pipeline/words/number.ts';
import { formatToken } from '../../../../pipeline/words/phrase.ts';
import type { Outlook } from '../../../simulation/outlooks.ts';
import type { SimulationUpdate } from '../../../simulation/protocol/session.ts';
import type { Parameter } from '../../../simulation/scenario.ts';
import type { ShownAction, ShownState } from '../../../simulation/view.ts';
import { make } from './make-element.ts';

export type Act = (name: string, parameters: Readonly<Record<string, number | string>>) => void;

/** What can be done now, as forms: each decision with its choices, and what can be done at any time. */
export function showActions(place: HTMLElement, update: SimulationUpdate, act: Act): void {
  const { current_state: state, next_actions: actions } = update;
  const key = JSON.stringify([state.decisions, actions]);
  // Unchanged, it is left alone: somebody may be about to choose.
  if (place.dataset.key === key) return;
  const hadFocus = place.contains(document.activeElement);
  place.dataset.key = key;
  const free = actions.filter(({ decision }) => decision === null);
  const heading = make('h3', { tabindex: '-1', id: 'actions-title' }, titleOf(state, actions));
  place.replaceChildren(
    heading,
    ...state.decisions.map((decision) => decisionPart(decision, state, actions, act)),
    ...(free.length > 0 ? [make('h4', {}, 'At any time')] : []),
    ...free.map((action) => actionForm(action, act)),
  );
  if (hadFocus) heading.focus();
}

function titleOf({ decisions, is_over }: ShownState, actions: readonly ShownAction[]): string {
  if (is_over) return 'The run is over';
  if (decisions.length > 0) return 'You decide';
  return actions.length > 0 ? 'Nothing is to be decided now' : 'Nothing can be done now';
}

function decisionPart(
  { name, title, prompt, until, otherwise }: ShownState['decisions'][number],
  { outlook }: ShownState,
  actions: readonly ShownAction[],
  act: Act,
): HTMLElement {
  const own = actions.filter(({ decision }) => decision === name);
  const fallback = own.find((action) => action.name === otherwise)?.label ?? formatToken(otherwise);
  const waiting = `Until tick ${until}; then “${fallback}” is taken.`;
  return make(
    'section',
    { class: 'to-decide' },
    make('h4', {}, title),
    make('p', {}, prompt),
    make('p', { class: 'note' }, waiting, outlook ? ` If nobody chooses: ${outlookWords(outlook)}` : null),
    ...own.map((action) => actionForm(action, act)),
  );
}

function actionForm({ name, label, meaning, parameters, outlook }: ShownAction, act: Act): HTMLElement {
  const form = make(
    'form',
    { class: 'action', 'data-action': name, autocomplete: 'off' },
    ...Object.entries(parameters).map(([parameter, about]) =>
      field(`${name}-${parameter}`, parameter, about),
    ),
    make('button', { type: 'submit' }, label),
    make('p', {}, meaning),
    outlook ? make('p', { class: 'note' }, `Forecast: ${outlookWords(outlook)}`) : null,
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = [...new FormData(form)].map(([parameter, value]) => {
      const isNumber = parameters[parameter]?.kind === 'number';
      return [parameter, isNumber ? Number(value) : String(value)];
    });
    act(name, Object.fromEntries(given));
  });
  return form;
}

function field(id: string, name: string, about: Parameter): HTMLElement {
  const label = make('label', { for: id }, `${formatToken(name)}, ${about.meaning}`);
  if (about.kind === 'number') {
    const { minimum, maximum } = about;
    const bounds = { min: String(minimum), max: String(maximum), step: 'any', required: '' };
    return make(
      'p',
      { class: 'field' },
      label,
      make('input', { id, name, type: 'number', value: String(about.default), ...bounds }),
    );
  }
  const options = about.values.map((value) =>
    make('option', { value, selected: value === about.default ? '' : null }, value),
  );
  return make('p', { class: 'field' }, label, make('select', { id, name }, ...options));
}

function outlookWords({ tick, deliberation, mean_opinion, mii, minting_active }: Outlook): string {
  const minting = minting_active ? 'minting on' : 'minting off';
  return `by tick ${tick} ${formatToken(deliberation)}, mean opinion ${formatNumber(mean_opinion, 2)}, index ${formatNumber(mii, 4)}, ${minting}.`;
}
