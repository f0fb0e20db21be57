import { askedDecisions, available, openedDecision } from '../../simulation/decisions.ts';
import { outlookOf } from '../../simulation/outlooks.ts';
import type { Run } from '../../simulation/run.ts';
import { scenarioNamed } from '../../simulation/scenarios.ts';
import { make, makeButton } from '../layout/make-element.ts';
import { askFor, decisionCard } from './decision-card.ts';
import { endingCard } from './ending-card.ts';
import { forecastOf } from './forecast.ts';
import { movesCard } from './moves-card.ts';
import { STATUS_SENTENCES, voteSentences } from './outcome-words.ts';
import { type Player, type Playing, type State, shownOf, stateOf } from './player.ts';
import { FIRST_QUESTION, judge, questionBefore } from './predictions.ts';

/** Notes of the log that the card shows. */
const NEWS = 4;

export interface CardHandlers {
  player: Player;
  /** Starts the scenario again, with another seed. */
  again: (scenario: string) => void;
  share: () => void;
  /** Brings the card into view, and the reader with it. */
  focus: () => void;
}

/** Replaces the card if something else is to be shown, and moves the focus with it if it was there. */
export function showCard(place: HTMLElement, playing: Playing, handlers: CardHandlers): void {
  const state = stateOf(playing);
  const now = playing.course[playing.looked]!;
  const first = soonest(now);
  const key = JSON.stringify([
    state,
    playing.run.scenario,
    playing.run.seed,
    playing.run.actions.length,
    state === 'decision' ? [first?.name, shownOf(now).next_actions] : playing.looked,
  ]);
  if (place.dataset.key === key) return;
  const isOther = place.dataset.state !== state || state === 'decision';
  const hadFocus = place.contains(document.activeElement);
  place.dataset.key = key;
  place.dataset.state = state;
  place.replaceChildren(...CARDS[state](playing, handlers).filter((one) => one !== null));
  place.scrollTop = 0;
  if (state === 'ended' || (hadFocus && isOther)) handlers.focus();
}

const soonest = ({ world }: Run) => [...askedDecisions(world)].sort((a, b) => a.until - b.until)[0];

const CARDS: Readonly<Record<State, (playing: Playing, handlers: CardHandlers) => (HTMLElement | null)[]>> = {
  story: ({ run }, { player }) => [storyCard(scenarioNamed(run.scenario).story, player)],
  back: ({ looked }, { player }) => [
    make(
      'section',
      {},
      make('h3', { tabindex: -1 }, `Looking back at day ${looked}`),
      make('p', {}, 'The board, the vote and the economy show that day.'),
      make(
        'p',
        { class: 'commit' },
        makeButton('Back to the latest day', () => player.lookAt(player.playing!.run.tick), 'primary'),
        makeButton('Branch from here', () => player.branch(player.playing!.looked)),
      ),
    ),
  ],
  decision: decisionParts,
  running: (playing, { player }) => [newsCard(playing, 'The assembly deliberates'), movesOf(playing, player)],
  paused: (playing, { player }) => [
    newsCard(playing, 'Nothing to decide now'),
    make(
      'p',
      { class: 'commit' },
      makeButton('Go on', () => player.run(), 'primary'),
    ),
    movesOf(playing, player),
  ],
  ended: (playing, handlers) => [endedCard(playing, handlers)],
};

/** The story, and the one thing to do first: to say what one expects. That starts the run. */
function storyCard(story: readonly string[], player: Player): HTMLElement {
  const ask = askFor(FIRST_QUESTION, 'Start without a guess');
  ask.onAnswer = (expected) => player.begin(expected);
  return make(
    'section',
    { class: 'story' },
    make('h3', { tabindex: -1 }, 'The story'),
    ...story.map((paragraph) => make('p', {}, paragraph)),
    ask.element,
    make('p', { class: 'note' }, 'Your guess starts the run. It stops at your first decision.'),
  );
}

function decisionParts({ course }: Playing, { player }: CardHandlers): (HTMLElement | null)[] {
  const run = course.at(-1)!;
  const { world, scenario } = run;
  const { current_state: state, next_actions: actions } = shownOf(run);
  const { name } = soonest(run)!;
  const decision = state.decisions.find((one) => one.name === name)!;
  const question = questionBefore(world);
  const card = decisionCard(
    {
      decision,
      choices: actions.filter((one) => one.decision === name),
      question,
      others: state.decisions.filter((one) => one.name !== name).map(({ title }) => title),
    },
    {
      decide(choice, parameters, expected) {
        player.expect(question.about, name, expected);
        player.act(choice, parameters, name);
      },
      wait: () => player.step(1),
      forecast(choice, parameters) {
        const action = available(world, scenario).find((one) => one.choice.name === choice.name)!;
        return forecastOf(outlookOf(world, scenario, action, parameters), world, choice.parameters);
      },
    },
  );
  return [newsOf(run), card, movesOf({ course }, player)];
}

function movesOf({ course }: Pick<Playing, 'course'>, player: Player): HTMLElement | null {
  const moves = shownOf(course.at(-1)!).next_actions.filter(({ decision }) => decision === null);
  return movesCard(moves, (name, parameters) => player.act(name, parameters, null));
}

/** The result of a vote, or another event, of this very day, above the decision that it led to. */
function newsOf(run: Run): HTMLElement | null {
  const { votes } = run.world.deliberation;
  const last = votes.at(-1);
  return last && last.tick === run.world.tick ? make('p', { class: 'result' }, voteSentences(last)) : null;
}

function newsCard({ course }: Playing, otherwise: string): HTMLElement {
  const run = course.at(-1)!;
  const { world } = run;
  const result = newsOf(run);
  const notes = world.log.slice(-NEWS).map(({ tick, text }) => make('li', {}, `Day ${tick}: ${text}`));
  const isOver = !['open', 'held'].includes(world.deliberation.status);
  const title = result ? 'The vote' : isOver ? 'What follows' : otherwise;
  return make(
    'section',
    { class: 'news' },
    make('h3', { tabindex: -1 }, title),
    result,
    !result && make('p', {}, STATUS_SENTENCES[world.deliberation.status]),
    notes.length > 0 && make('ul', { class: 'notes' }, ...notes),
    run.actions.length > 0 && make('p', {}, make('a', { href: '#why' }, 'Why: what your last choice moved')),
  );
}

function endedCard(
  { course, predictions, run, history }: Playing,
  { player, again, share, focus }: CardHandlers,
): HTMLElement {
  const worlds = course.map(({ world }) => world);
  return endingCard(
    {
      debrief: history.at(-1)!.current_state.debrief!,
      predictions: predictions.map((one) => judge(one, worlds)),
      titleOf: (decision) => openedDecision(decision, scenarioNamed(run.scenario)).title,
    },
    {
      again: () => again(run.scenario),
      change({ tick }) {
        player.keep();
        player.branch(tick);
        focus();
      },
      share,
    },
  );
}
