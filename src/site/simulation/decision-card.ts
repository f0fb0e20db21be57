import { formatToken } from '../../../pipeline/words/phrase.ts';
import type { Parameters } from '../../simulation/scenario.ts';
import type { ShownAction, ShownState } from '../../simulation/view.ts';
import { make, makeButton } from '../layout/make-element.ts';
import { parameterField } from './parameter-field.ts';
import type { Prediction, Question } from './predictions.ts';

type ShownDecision = ShownState['decisions'][number];

export interface DecisionView {
  decision: ShownDecision;
  choices: readonly ShownAction[];
  /** What to predict. */
  question: Question;
  /** The other open decisions, which come next. */
  others: readonly string[];
}

export interface DecisionHandlers {
  /** `expected` is null if the reader skipped the prediction. */
  decide: (choice: string, parameters: Parameters, expected: Prediction['expected'] | null) => void;
  wait: () => void;
  forecast: (choice: ShownAction, parameters: Parameters) => HTMLElement;
}

/** The form of an open decision: choices, then what the reader expects of the chosen one, then its forecast, then the button. */
export function decisionCard(view: DecisionView, handlers: DecisionHandlers): HTMLElement {
  const { decision, choices, question, others } = view;
  const expected = new Map<string, Prediction['expected']>();
  let hasSkipped = false;
  const ask = askFor(question, 'Skip');
  const forecast = make('div', { 'aria-live': 'polite' });
  const commit = make('button', { type: 'submit', class: 'primary', disabled: '' }, 'Choose one first');
  const form = make(
    'form',
    { class: 'decide', autocomplete: 'off', 'data-decision': decision.name },
    make(
      'fieldset',
      { class: 'choices' },
      make('legend', { class: 'visually-hidden' }, decision.title),
      ...choices.map((choice) => choicePart(decision.name, choice)),
    ),
    make(
      'div',
      { class: 'act' },
      ask.element,
      forecast,
      make(
        'p',
        { class: 'commit' },
        commit,
        make('button', { type: 'button', class: 'quiet', 'data-wait': '' }, 'Wait a day'),
      ),
    ),
  );
  const chosen = () => choices.find(({ name }) => name === new FormData(form).get('choice'));
  const given = (choice: ShownAction) => parametersIn(form, choice);
  const refresh = () => {
    const choice = chosen();
    if (!choice) return;
    for (const part of form.querySelectorAll<HTMLElement>('.choice')) {
      const isChosen = part.dataset.choice === choice.name;
      part.classList.toggle('chosen', isChosen);
      const fields = part.querySelector<HTMLElement>('.fields');
      if (fields) fields.hidden = !isChosen;
    }
    commit.disabled = false;
    commit.textContent = `Decide: ${choice.label}`;
    const isAnswered = hasSkipped || expected.has(choice.name);
    ask.element.hidden = isAnswered;
    forecast.replaceChildren(...(isAnswered ? [handlers.forecast(choice, given(choice))] : []));
    form.querySelector('.chosen')!.scrollIntoView({ block: 'nearest' });
  };
  ask.onAnswer = (value) => {
    if (value === null) hasSkipped = true;
    else expected.set(chosen()!.name, value);
    refresh();
    commit.focus({ preventScroll: true });
  };
  form.addEventListener('input', refresh);
  form.querySelector('[data-wait]')!.addEventListener('click', handlers.wait);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const choice = chosen();
    if (choice) handlers.decide(choice.name, given(choice), expected.get(choice.name) ?? null);
  });
  ask.element.hidden = true;
  return make(
    'section',
    { class: 'deciding' },
    make('h3', { tabindex: -1 }, decision.title),
    make('p', {}, decision.prompt),
    form,
    make(
      'p',
      { class: 'note' },
      waitingWords(view),
      ...(others.length ? [` Next: ${others.join(', ')}.`] : []),
    ),
  );
}

function waitingWords({ decision: { until, otherwise }, choices }: DecisionView): string {
  const fallback = choices.find(({ name }) => name === otherwise)?.label ?? formatToken(otherwise);
  return `If you do not choose by day ${until}, it is “${fallback}”.`;
}

function choicePart(decision: string, { name, label, meaning, parameters }: ShownAction): HTMLElement {
  const id = `${decision}-${name}`;
  const fields = Object.entries(parameters).map(([parameter, about]) =>
    parameterField(`${id}-${parameter}`, `${name}.${parameter}`, about),
  );
  return make(
    'div',
    { class: 'choice', 'data-choice': name },
    make(
      'label',
      { for: id },
      make('input', { type: 'radio', id, name: 'choice', value: name, 'aria-describedby': `${id}-meaning` }),
      make('strong', {}, label),
    ),
    make('p', { class: 'meaning', id: `${id}-meaning` }, meaning),
    fields.length > 0 && make('div', { class: 'fields', hidden: '' }, ...fields),
  );
}

export function parametersIn(form: HTMLFormElement, { name, parameters }: ShownAction): Parameters {
  const data = new FormData(form);
  const given = Object.entries(parameters).map(([parameter, { kind }]) => {
    const value = String(data.get(`${name}.${parameter}`));
    return [parameter, kind === 'number' ? Number(value) : value];
  });
  return Object.fromEntries(given);
}

interface Ask {
  element: HTMLElement;
  onAnswer: (value: Prediction['expected'] | null) => void;
}

/** One tap: an answer, or none. */
export function askFor({ text, answers }: Question, skip = 'Skip'): Ask {
  const ask: Ask = { element: make('div'), onAnswer: () => {} };
  const button = (label: string, value: Prediction['expected'] | null) => {
    const made = makeButton(label, () => ask.onAnswer(value), value === null ? 'quiet' : 'answer');
    if (value !== null) made.dataset.answer = value;
    return made;
  };
  ask.element = make(
    'div',
    { class: 'predict', role: 'group', 'aria-label': text },
    make('p', {}, text),
    make(
      'p',
      { class: 'answers' },
      ...answers.map(({ label, value }) => button(label, value)),
      button(skip, null),
    ),
  );
  return ask;
}
