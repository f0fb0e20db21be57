import { askedDecisions, available } from '../../../simulation/decisions.ts';
import { outlookOf } from '../../../simulation/outlooks.ts';
import { restingPoint } from '../../../simulation/resting-point.ts';
import { type Run, replay } from '../../../simulation/run.ts';
import { textOf } from '../../../simulation/scenario.ts';
import { scenarioNamed } from '../../../simulation/scenarios.ts';
import { drawBoard } from './board.ts';
import { coursePicture } from './course-picture.ts';
import { decisionCard } from './decision-card.ts';
import { showEconomy } from './economy-picture.ts';
import { endingCard } from './ending-card.ts';
import { forecastOf } from './forecast.ts';
import { formulaTables } from './formula-tables.ts';
import { formatSetUpAddress, newSetUp } from './laboratory/set-up-address.ts';
import { make } from './make-element.ts';
import { showMeasures } from './measures.ts';
import { movesCard } from './moves-card.ts';
import { STATUS_SENTENCES, voteSentences } from './outcome-words.ts';
import { Player, type Playing, shownOf } from './player.ts';
import { judge, questionBefore } from './predictions.ts';
import { formatRunAddress, parseRunAddress, type RecordedRun } from './run-address.ts';
import type { WhyHere } from './stages.ts';
import { storyCard } from './story-card.ts';
import { offerTakeAway } from './take-away.ts';
import { showTally } from './tally.ts';
import { showTimeLine } from './time-line.ts';
import { showVirtues } from './virtues-picture.ts';
import { showVoices } from './voices.ts';
import { loudestOthers, whyPanel } from './why-panel.ts';

/** The seeds that a run without one gets. Few, because the service computes a run once for all who play it. */
const SEEDS = 16;
/** Chart width, px. */
const WIDE = 1100;
/** Notes of the log that the card shows. */
const NEWS = 4;

const page = document.querySelector<HTMLElement>('#simulation')!;

function part<T extends Element = HTMLElement>(name: string): T {
  return page.querySelector<T>(`[data-part="${name}"]`)!;
}

function field(name: string): HTMLInputElement {
  return page.querySelector<HTMLInputElement>(`[data-field="${name}"]`)!;
}

/** For screen readers what happened; faults are visible. */
function tell(text: string, isFault: boolean): void {
  part(isFault ? 'fault' : 'said').textContent = text;
}

const player = new Player(show, tell, Number(field('pace').value));
let hasTies = false;

function show(playing: Playing): void {
  const { run, course, history, looked } = playing;
  const [now, world] = [history[looked]!, course[looked]!.world];
  part('choose').hidden = true;
  part('play').hidden = false;
  document.body.dataset.playing = '';
  page.dataset.state = stateOf(playing);
  part('title').textContent = scenarioNamed(run.scenario).title;
  part('question').textContent = textOf(course[looked]!.scenario.question, world);
  part('moment').textContent = momentWords(playing);
  part('place').textContent = placeWords(playing);
  const before = history[Math.max(0, looked - 1)];
  drawBoard(
    part('board'),
    { now, before, resting: restingPoint(world), ties: hasTies ? loudestOthers(world) : null },
    widthOf('board'),
  );
  part('ties-words').textContent = hasTies ? tiesWords(course[looked]!) : '';
  part('ties-key').hidden = !hasTies;
  showTally(part('tally'), world, now.sentinels);
  showEconomy(part('economy'), world);
  showCard(playing);
  showTimeLine(part('marks'), playing);
  showControls(playing);
  part('more').hidden = !playing.isStarted;
  if (playing.isStarted) showMore(playing);
  keepAddress(playing);
}

type State = 'story' | 'back' | 'ended' | 'decision' | 'running' | 'paused';

function stateOf({ isStarted, isRunning, looked, run, course }: Playing): State {
  if (!isStarted) return 'story';
  if (looked < run.tick) return 'back';
  const { world } = course.at(-1)!;
  if (world.ending !== null) return 'ended';
  if (world.open.length > 0) return 'decision';
  return isRunning ? 'running' : 'paused';
}

/** What is going on, in short sentences. */
function momentWords(playing: Playing): string {
  const { looked, course, history, isRunning } = playing;
  const { horizon, deliberation } = history[looked]!.current_state;
  const day = `Day ${looked} of at most ${horizon}.`;
  const vote = deliberation.status === 'open' ? ` The next vote is on day ${deliberation.round_ends}.` : '';
  const { world } = course.at(-1)!;
  switch (stateOf(playing)) {
    case 'story':
      return 'The run has not begun.';
    case 'back':
      return `You are looking back at day ${looked}.`;
    case 'ended':
      return `The run is over after day ${world.tick}.`;
    case 'decision':
      return `${day} ${isRunning ? 'A decision is open.' : 'It is your turn.'}${vote}`;
    case 'running':
      return `${day} The run goes on.${vote}`;
    case 'paused':
      return `${day} The run is paused.${vote}`;
  }
}

function placeWords({ local, isStarted, run }: Playing): string {
  const where = !isStarted ? '' : local === null ? 'Played by the service.' : LOCAL[local];
  return `${where} Seed ${run.seed}.`.trim();
}

/** Why a run is played in the page. */
const LOCAL: Readonly<Record<WhyHere, string>> = {
  no_service: 'Played in this page: there is no service here, only files.',
  offline: 'Played in this page: the service cannot be reached.',
  limit: 'Played in this page: the service has reached its limit for your network.',
  unable: 'Played in this page: the service cannot play this run at present.',
};

function tiesWords({ world }: Run): string {
  const ids = world.sentinels.map(({ id }) => id);
  const said = loudestOthers(world).flatMap(({ to }, i) =>
    to < 0 ? [] : [`${ids[i]} listens most to ${ids[to]}`],
  );
  return `${said.join('; ')}.`;
}

/** Replaces the card if something else is to be shown, and moves the focus with it if it was there. */
function showCard(playing: Playing): void {
  const place = part('card');
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
  place.replaceChildren(...CARDS[state](playing).filter((one) => one !== null));
  place.scrollTop = 0;
  if (state === 'ended' || (hadFocus && isOther)) focusCard();
}

/** Brings what is played into view, and the reader with it. */
function focusCard(): void {
  part('card').querySelector<HTMLElement>('h3')?.focus({ preventScroll: true });
  toScreen();
}

function toScreen(): void {
  part('screen').scrollIntoView({ block: 'start' });
}

const soonest = ({ world }: Run) => [...askedDecisions(world)].sort((a, b) => a.until - b.until)[0];

const CARDS: Readonly<Record<State, (playing: Playing) => (HTMLElement | null)[]>> = {
  story: ({ run }) => [storyCard(scenarioNamed(run.scenario).story, (expected) => player.begin(expected))],
  back: ({ looked }) => [
    make(
      'section',
      {},
      make('h3', { tabindex: -1 }, `Looking back at day ${looked}`),
      make('p', {}, 'The board, the vote and the economy show that day.'),
      make(
        'p',
        { class: 'commit' },
        pressed('Back to the latest day', () => player.lookAt(player.playing!.run.tick), 'primary'),
        pressed('Branch from here', () => player.branch(player.playing!.looked)),
      ),
    ),
  ],
  decision: (playing) => decisionParts(playing),
  running: (playing) => [newsCard(playing, 'The assembly deliberates'), movesOf(playing)],
  paused: (playing) => [
    newsCard(playing, 'Nothing to decide now'),
    make(
      'p',
      { class: 'commit' },
      pressed('Go on', () => player.run(), 'primary'),
    ),
    movesOf(playing),
  ],
  ended: (playing) => [endedCard(playing)],
};

function pressed(label: string, does: () => void, kind = ''): HTMLButtonElement {
  const button = make('button', { type: 'button', class: kind }, label);
  button.addEventListener('click', does);
  return button;
}

function decisionParts({ course }: Playing): (HTMLElement | null)[] {
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
  return [newsOf(run), card, movesOf({ course })];
}

function movesOf({ course }: Pick<Playing, 'course'>): HTMLElement | null {
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
    run.actions.length > 0 && whyLink(),
  );
}

function whyLink(): HTMLElement {
  return make('p', {}, make('a', { href: '#why' }, 'Why: what your last choice moved'));
}

function endedCard({ course, predictions, run, history }: Playing): HTMLElement {
  const worlds = course.map(({ world }) => world);
  return endingCard(
    {
      debrief: history.at(-1)!.current_state.debrief!,
      predictions: predictions.map((one) => judge(one, worlds)),
      laboratory: `/philosophy/simulation/laboratory/${sameDecisions(course.at(-1)!)}`,
      titleOf: (decision) => titleOfDecision(run, decision),
    },
    {
      again: () => choose(run.scenario),
      change({ tick }) {
        player.keep();
        player.branch(tick);
        focusCard();
      },
      share: () => goTo('share-title'),
    },
  );
}

/** The address of a batch of the laboratory with the decisions of a run. */
function sameDecisions({ scenario, settings, actions, world }: Run): string {
  const taken = world.taken.filter(({ isDefault }) => !isDefault);
  const plan = taken.map(({ decision, choice, tick }) => {
    const { parameters } = actions.find((action) => action.tick === tick && action.name === choice)!;
    return [decision, { choice, parameters }];
  });
  return formatSetUpAddress({ ...newSetUp(scenario.name), settings, plan: Object.fromEntries(plan) });
}

/** Brings a part below the screen into view. */
function goTo(id: string): void {
  const heading = document.getElementById(id)!;
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: 'start' });
}

function showControls({ course, isRunning, isStarted, looked, run }: Playing): void {
  const isOver = course.at(-1)!.world.ending !== null;
  part('controls').hidden = !isStarted;
  part('run').textContent = isRunning ? 'Pause' : 'Run';
  for (const name of ['run', 'step', 'next', 'end']) part<HTMLButtonElement>(name).disabled = isOver;
  const range = field('look');
  range.max = String(course[0]!.scenario.horizon);
  range.value = String(looked);
  range.disabled = !isStarted;
  range.setAttribute('aria-valuetext', `Day ${looked} of ${run.tick}`);
}

/** What is below the screen: why, the chosen, the course, the reasons, the measures. */
function showMore(playing: Playing): void {
  const { history, looked, kept, course, run } = playing;
  const now = history[looked]!;
  showWhy(playing);
  showFormulas(playing);
  part('course').innerHTML = coursePicture(history, {
    width: widthOf('course'),
    title: `Opinions of the sentinels from day 0 to ${run.tick}`,
    looked,
    ...(kept ? { other: kept.history } : {}),
  });
  showVirtues(part('virtues'), now, history[0]!);
  showVoices(part('voices'), now);
  const other = kept && { label: 'Kept', shown: kept.history[Math.min(looked, kept.history.length - 1)]! };
  showMeasures(part('measures'), [{ label: 'This run', shown: now }, ...(other ? [other] : [])]);
  part('forget').hidden = !kept;
  offerTakeAway(page, playing, textOf(course.at(-1)!.scenario.question, course.at(-1)!.world));
}

/** For each action up to the tick shown, what it moved; the last one is open. */
function showWhy({ course, looked, run }: Playing): void {
  const place = part('why');
  const actions = run.actions.filter(({ tick }) => tick <= looked);
  part('why-part').hidden = actions.length === 0;
  const key = JSON.stringify([run, looked]);
  if (actions.length === 0 || place.dataset.key === key) return;
  place.dataset.key = key;
  const index = actions.length - 1;
  const { tick, name } = actions[index]!;
  const at = (count: number) => replay({ ...run, actions: run.actions.slice(0, count), tick }).world;
  const [before, after] = [at(index), at(index + 1)];
  place.replaceChildren(
    whyPanel({ label: labelOf(run, index, name), tick, before, after, run: course[looked]!, index }),
  );
}

function labelOf(run: RecordedRun, index: number, name: string): string {
  const { tick } = run.actions[index]!;
  const { world, scenario } = replay({ ...run, actions: run.actions.slice(0, index), tick });
  return available(world, scenario).find(({ choice }) => choice.name === name)!.choice.label;
}

function titleOfDecision(run: RecordedRun, name: string): string {
  return scenarioNamed(run.scenario).decisions.find((one) => one.name === name)?.title ?? 'A dissent';
}

/** At the end: the formulas that had an effect, with their values. */
function showFormulas({ history }: Playing): void {
  const { debrief } = history.at(-1)!.current_state;
  part('formulas-part').hidden = !debrief;
  if (debrief) part('formulas').replaceChildren(...formulaTables(debrief.explained));
}

function widthOf(name: string): number {
  return Math.min(WIDE, Math.max(260, part(name).parentElement!.clientWidth));
}

/** Keeps the address in step with the run, so that it can be copied. */
function keepAddress({ run, isStarted, isRunning, kept }: Playing): void {
  // Browsers limit changes of the address to a few per second.
  if (!isStarted || (isRunning && run.tick % 4 !== 0)) return;
  history.replaceState(null, '', `${location.pathname}${formatRunAddress(run, kept?.run)}`);
}

const DOINGS: Readonly<Record<string, () => void>> = {
  run: () => (player.playing!.isRunning ? player.pause() : player.run()),
  step: () => player.step(1),
  next: () => player.toNextStop(),
  end: () => player.step(100),
  again() {
    const { run } = player.playing!;
    player.prepare({ ...run, seed: seedOf() ?? run.seed });
    focusCard();
  },
  scenarios() {
    history.pushState(null, '', location.pathname);
    close();
  },
  ties() {
    hasTies = !hasTies;
    part('ties').setAttribute('aria-pressed', String(hasTies));
    show(player.playing!);
  },
  keep: () => player.keep(),
  forget: () => player.forget(),
};

function seedOf(): number | null {
  const { value, validity } = field('seed');
  return value === '' || !validity.valid ? null : Number(value);
}

/** Back to the list of scenarios. */
function close(): void {
  if (player.playing?.isRunning) player.pause();
  part('play').hidden = true;
  part('choose').hidden = false;
  delete document.body.dataset.playing;
  part<HTMLElement>('choose').querySelector<HTMLElement>('a')!.focus();
}

function choose(scenario: string): void {
  player.prepare({ scenario, seed: randomSeed(), actions: [], tick: 0 });
  focusCard();
}

function randomSeed(): number {
  return 1 + Math.floor(Math.random() * SEEDS);
}

/** Opens the run in the address, paused, as far as the address is valid; of one that has not begun, the story. */
function open(): void {
  tell('', true);
  const parameters = new URLSearchParams(location.search);
  try {
    const named = parseRunAddress(parameters);
    if (!named) {
      close();
      return;
    }
    const { run, kept, isBegun, faults, otherVersion } = named;
    const words = [
      ...(otherVersion === null
        ? []
        : [
            'This link was made with another version of the scenario. What you see may differ from what was shared.',
          ]),
      ...(faults.length > 0 ? ['The link is not valid as a whole.', ...faults] : []),
    ];
    if (words.length > 0) tell(words.join(' '), true);
    if (isBegun) player.resume(run, kept);
    else player.prepare({ ...run, seed: parameters.has('seed') ? run.seed : randomSeed() }, kept);
    focusCard();
  } catch (error) {
    tell(`The link names no run. ${(error as Error).message}`, true);
  }
}

page.addEventListener('click', ({ target }) => {
  const button = (target as Element).closest<HTMLElement>('[data-do]');
  if (!button) return;
  button.closest('details')?.removeAttribute('open');
  DOINGS[button.dataset.do!]?.();
});
field('look').addEventListener('input', () =>
  player.lookAt(Math.min(Number(field('look').value), player.playing!.run.tick)),
);
field('stop').addEventListener('change', () => {
  player.stopsAtDecisions = field('stop').checked;
});
field('pace').addEventListener('change', () => {
  player.pace = Number(field('pace').value);
  if (player.playing?.isRunning) player.run();
});
addEventListener('resize', () => player.playing && !part('play').hidden && show(player.playing));
addEventListener('popstate', open);
addEventListener('simulation-chosen', open);
open();
