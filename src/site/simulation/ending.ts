import { type DebriefChoice, debriefOf } from '../../simulation/debrief.ts';
import { type Run, replay } from '../../simulation/run.ts';
import { make, makeButton } from '../layout/make-element.ts';
import { formatRunAddress } from './run-address.ts';

/** How the run ended, each choice with how it would have ended without it, and what to do next. */
export function endingCard(run: Run, again: () => void): HTMLElement {
  const { title, text, question, choices } = debriefOf(run);
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
      make('a', { href: '#share-title' }, 'Share or save it'),
    ),
    make(
      'h4',
      {},
      choices.some(({ by }) => by === 'you')
        ? 'What you chose, and how it would have ended without it'
        : 'You took no decision in this run',
    ),
    make('ol', { class: 'entries' }, ...choices.map((choice) => choiceItem(run, choice))),
  );
}

function choiceItem(run: Run, { tick, decision, choice, label, by, without }: DebriefChoice): HTMLElement {
  const what = make('p', {}, `Day ${tick}. ${decision ?? 'Your move'}: `, make('strong', {}, label));
  if (by === 'time') what.append(', by default. Nobody chose in time.');
  const isSame = without?.ending === run.world.ending;
  return make(
    'li',
    { 'data-by': by },
    what,
    without &&
      make(
        'p',
        {},
        isSame ? 'Without it: the same ending' : 'Without it: ',
        !isSame && make('strong', {}, without.title),
        `, on day ${without.tick}. `,
        without.dropped.length > 0 &&
          `There would have been no occasion for ${without.dropped.map((one) => `“${one}”`).join(' and ')}. `,
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
