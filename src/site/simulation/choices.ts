import {
  type Available,
  askedDecisions,
  available,
  decisionOf,
  labelOf,
} from '../../simulation/decisions.ts';
import { lookAhead, type Outlook, prospectOf } from '../../simulation/outlooks.ts';
import type { Run } from '../../simulation/run.ts';
import { isDecided, type Parameter, type Parameters, textOf } from '../../simulation/scenario.ts';
import { make, makeButton } from '../layout/make-element.ts';
import { formatValue, prospectInWords, sentenceCase, stepOf } from './words.ts';

export interface ChoiceHandlers {
  choose: (name: string, parameters: Parameters) => void;
  goOn: () => void;
}

/** The decision that is due first with its choices, or, without one, a way to go on; and the moves that are always possible. */
export function choicesCard(run: Run, { choose, goOn }: ChoiceHandlers): HTMLElement {
  const { world, scenario } = run;
  const [due, ...others] = [...askedDecisions(world)].sort((a, b) => a.until - b.until);
  const forms = (decision: string | null, otherwise: (() => Outlook) | null) =>
    available(world, scenario)
      .filter((action) => action.decision === decision)
      .map((action) => choiceForm(run, action, otherwise, choose));
  const moves = forms(null, null);
  const movesPart =
    moves.length > 0 && make('details', { class: 'moves' }, make('summary', {}, 'Other moves'), ...moves);
  if (!due)
    return make(
      'section',
      {},
      make('h3', { tabindex: -1 }, isDecided(world) ? 'What follows' : 'The debate goes on'),
      make('p', {}, 'There is nothing to decide at the moment.'),
      make('p', { class: 'buttons commit' }, makeButton('Go on', goOn)),
      movesPart,
    );
  const { title, prompt, otherwise } = decisionOf(scenario, due.name);
  let ifNobody: Outlook | null = null;
  const outlook = () => {
    ifNobody ??= lookAhead(world, scenario);
    return ifNobody;
  };
  // Each forecast in a task of its own, so that the page answers in between.
  setTimeout(outlook);
  const next = others.map(({ name }) => decisionOf(scenario, name).title);
  return make(
    'section',
    { 'data-decision': due.name },
    make('h3', { tabindex: -1 }, title),
    make('p', {}, textOf(prompt, world)),
    make('div', { class: 'choices' }, ...forms(due.name, outlook)),
    make(
      'p',
      { class: 'buttons commit' },
      makeButton('Let time pass', goOn, 'quiet'),
      make(
        'span',
        { class: 'muted' },
        `Without you, it is “${labelOf(otherwise, scenario)}” on day ${due.until}.`,
        next.length > 0 && ` Next: ${next.join(', ')}.`,
      ),
    ),
    movesPart,
  );
}

/** A choice: its button, what it does, its parameters, what it costs and whom it pleases. `otherwise`: the outlook if nobody chooses. */
function choiceForm(
  { world, scenario }: Run,
  action: Available,
  otherwise: (() => Outlook) | null,
  choose: ChoiceHandlers['choose'],
): HTMLFormElement {
  const { name, label, meaning, parameters = {} } = action.choice;
  const prospect = otherwise && make('dl', { class: 'prospect', 'aria-live': 'polite' });
  const form = make(
    'form',
    { class: 'choice', 'data-choice': name, autocomplete: 'off' },
    make('button', { type: 'submit', 'aria-describedby': `about-${name}` }, label),
    make('div', { id: `about-${name}` }, make('p', {}, textOf(meaning, world)), prospect),
    ...Object.entries(parameters).map(([key, one]) => parameterField(`${name}-${key}`, key, one)),
  );
  const given = (): Parameters => {
    const data = new FormData(form);
    return Object.fromEntries(
      Object.entries(parameters).map(([key, { kind }]) => {
        const value = String(data.get(key));
        return [key, kind === 'number' ? Number(value) : value];
      }),
    );
  };
  if (otherwise && prospect) {
    const refresh = () => {
      const seen = prospectOf(world, scenario, action, given());
      prospect.replaceChildren(
        ...prospectInWords(seen, otherwise(), isDecided(world)).map(([kind, term, text]) =>
          make('div', { class: kind }, make('dt', {}, term), make('dd', {}, text)),
        ),
      );
    };
    setTimeout(() => form.isConnected && refresh());
    form.addEventListener('input', refresh);
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    choose(name, given());
  });
  return form;
}

/** A slider with its value, or a list to choose from, with a label. */
function parameterField(id: string, name: string, about: Parameter): HTMLElement {
  const label = make('label', { for: id }, sentenceCase(about.meaning));
  if (about.kind === 'one_of') {
    const options = about.values.map((value) => make('option', { value }, value));
    return make('p', { class: 'field' }, label, make('select', { id, name }, ...options));
  }
  const { minimum: min, maximum: max, default: value } = about;
  const output = make('output', { for: id }, formatValue(value));
  const input = make('input', { id, name, type: 'range', min, max, step: stepOf(about), value });
  input.addEventListener('input', () => {
    output.textContent = formatValue(Number(input.value));
  });
  return make('p', { class: 'field' }, label, input, output);
}
