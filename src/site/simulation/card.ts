import { formatNumber } from '../../../pipeline/words/number.ts';
import { formatList } from '../../../pipeline/words/phrase.ts';
import { type DebriefChoice, debriefOf } from '../../simulation/debrief.ts';
import {
  type Available,
  askedDecisions,
  available,
  decisionOf,
  labelOf,
} from '../../simulation/decisions.ts';
import { lookAhead, type Outlook, prospectOf } from '../../simulation/outlooks.ts';
import { type Run, replay } from '../../simulation/run.ts';
import { isDecided, type Parameter, type Parameters, textOf } from '../../simulation/scenario.ts';
import { make, makeButton } from '../layout/make-element.ts';
import { pause } from '../layout/pause.ts';
import { formatRunAddress } from './run-address.ts';
import { prospectInWords } from './words.ts';

export interface CardHandlers {
  choose: (name: string, parameters: Parameters) => void;
  goOn: () => void;
  again: () => void;
}

/**
 * The decision that is due first with its choices; without one, a way to go on; and at the end, the ending. It takes pauses, since each
 * choice is forecast.
 */
export async function cardOf(run: Run, handlers: CardHandlers): Promise<HTMLElement> {
  await pause();
  if (run.world.ending !== null) return ending(run, handlers.again);
  const { world, scenario } = run;
  const [due, ...others] = askedDecisions(world).toSorted((a, b) => a.until - b.until);
  const actions = available(world, scenario);
  const moves = actions.filter(({ decision }) => decision === null);
  const heading = (words: string) => make('h3', { tabindex: -1 }, words);
  const otherMoves =
    moves.length > 0 &&
    make(
      'details',
      { class: 'moves' },
      make('summary', {}, 'Other moves'),
      ...moves.map((move) => choiceForm(run, move, null, handlers.choose)),
    );
  if (!due)
    return make(
      'section',
      {},
      heading(isDecided(world) ? 'What follows' : 'The debate goes on'),
      make('p', {}, 'There is nothing to decide at the moment.'),
      make('p', { class: 'buttons commit' }, makeButton('Go on', handlers.goOn)),
      otherMoves,
    );
  const { title, prompt, otherwise } = decisionOf(scenario, due.name);
  const nobody = lookAhead(world, scenario);
  const choices: HTMLElement[] = [];
  for (const action of actions.filter(({ decision }) => decision === due.name)) {
    await pause();
    choices.push(choiceForm(run, action, nobody, handlers.choose));
  }
  const next = others.map(({ name }) => decisionOf(scenario, name).title).join(', ');
  const byDefault = `Without you, it is “${labelOf(otherwise, scenario)}” on day ${due.until}.`;
  return make(
    'section',
    {},
    heading(title),
    make('p', {}, textOf(prompt, world)),
    ...choices,
    make(
      'p',
      { class: 'buttons commit' },
      makeButton('Let time pass', handlers.goOn, 'quiet'),
      make('span', { class: 'muted' }, byDefault, next && ` Next: ${next}.`),
    ),
    otherMoves,
  );
}

/**
 * A choice: its button, what it does, whom it pleases and what it costs, and its parameters. `nobody`: the outlook if nobody chooses;
 * null for a move that answers no decision.
 */
function choiceForm(
  { world, scenario }: Run,
  action: Available,
  nobody: Outlook | null,
  choose: CardHandlers['choose'],
): HTMLFormElement {
  const { name, label, meaning, parameters = {} } = action.choice;
  const prospect = make('dl', { class: 'facts prospect', 'aria-live': 'polite' });
  const form = make(
    'form',
    { class: nobody ? 'choice' : 'choice move', 'data-choice': name, autocomplete: 'off' },
    make('button', { type: 'submit', 'aria-describedby': `about-${name}` }, label),
    make('div', { id: `about-${name}` }, make('p', {}, textOf(meaning, world)), nobody && prospect),
    ...Object.entries(parameters).map(([key, about]) => parameterField(`${name}-${key}`, key, about)),
  );
  const given = (): Parameters => {
    const read = Object.entries(parameters).map(([key, { kind }]) => {
      const { value } = form.elements.namedItem(key) as HTMLInputElement | HTMLSelectElement;
      return [key, kind === 'one_of' ? value : Number(value)];
    });
    return Object.fromEntries(read);
  };
  const look = () => {
    if (!nobody) return;
    const lines = prospectInWords(prospectOf(world, scenario, action, given()), nobody, isDecided(world));
    prospect.replaceChildren(
      ...lines.flatMap(({ kind, term, text }) => [make('dt', {}, term), make('dd', { class: kind }, text)]),
    );
  };
  look();
  form.addEventListener('input', look);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    choose(name, given());
  });
  return form;
}

/** The ends and the default are among its stops. */
export function sliderStep({ kind }: Pick<Parameter, 'kind'>): number {
  return kind === 'whole_number' ? 1 : 0.05;
}

/** A slider with its value, or a list to choose from, with a label. */
function parameterField(id: string, name: string, about: Parameter): HTMLElement {
  const label = make('label', { for: id }, about.meaning);
  if (about.kind === 'one_of') {
    const options = about.values.map((value) => make('option', { value }, value));
    return make('p', { class: 'row field' }, label, make('select', { id, name }, ...options));
  }
  const { minimum: min, maximum: max, default: value } = about;
  const output = make('output', { for: id }, String(value));
  const step = sliderStep(about);
  const input = make('input', { id, name, type: 'range', min, max, step, value });
  input.addEventListener('input', () => {
    output.textContent = formatNumber(Number(input.value), { max: 4 });
  });
  return make('p', { class: 'row field' }, label, input, output);
}

/** How the run ended, each choice with how it would have ended without it, and what to do next. */
function ending(run: Run, again: () => void): HTMLElement {
  const { title, text, question, choices } = debriefOf(run);
  const isChosen = choices.some(({ by }) => by === 'you');
  return make(
    'section',
    { class: 'ended' },
    make('p', { class: 'label accented' }, 'The ending'),
    make('h3', { tabindex: -1 }, title),
    make('p', { class: 'text' }, text),
    make('p', { class: 'text' }, make('em', {}, question)),
    make(
      'p',
      { class: 'buttons commit' },
      makeButton('Play again', again),
      make('a', { href: '#share-title' }, 'Share it'),
    ),
    make(
      'h4',
      {},
      isChosen
        ? 'What you chose, and how it would have ended without it'
        : 'You took no decision in this run',
    ),
    make('ol', { class: 'entries' }, ...choices.map((choice) => choiceItem(run, choice))),
  );
}

function choiceItem(run: Run, { tick, decision, choice, label, without }: DebriefChoice): HTMLElement {
  const what = make('p', {}, `Day ${tick}. ${decision ?? 'Your move'}: `, make('strong', {}, label));
  if (!without) {
    what.append(', by default. Nobody chose in time.');
    return make('li', {}, what);
  }
  const isSame = without.ending === run.world.ending;
  const dropped = formatList(without.dropped.map((one) => `“${one}”`));
  return make(
    'li',
    {},
    what,
    make(
      'p',
      {},
      isSame ? 'Without it: the same ending' : 'Without it: ',
      !isSame && make('strong', {}, without.title),
      `, on day ${without.tick}. `,
      dropped && `There would have been no occasion for ${dropped}. `,
      make('a', { href: addressBefore(run, tick, choice), class: 'screen-only' }, 'Choose otherwise'),
    ),
  );
}

/** The address of the run just before an action. */
function addressBefore({ scenario, seed, settings, actions }: Run, tick: number, choice: string): string {
  const index = actions.findIndex((action) => action.tick === tick && action.name === choice);
  const before = { scenario: scenario.name, seed, settings, actions: actions.slice(0, index), tick };
  return formatRunAddress(replay(before));
}
