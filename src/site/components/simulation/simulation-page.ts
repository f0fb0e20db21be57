import { formatToken } from '../../../../pipeline/words/phrase.ts';
import { scenarioNamed } from '../../../simulation/scenarios.ts';
import { addCopyButton } from '../files/copy-button.ts';
import { coursePicture } from './course-picture.ts';
import { Player, type Playing } from './player.ts';
import { formatRunAddress, parseRunAddress } from './run-address.ts';
import { drawStances, showActions, showDebrief, showMeasures, showVoices } from './run-view.ts';
import { offerTakeAway } from './take-away.ts';

const WIDE = 1100;
const page = document.querySelector<HTMLElement>('#simulation');

function part<T extends Element = HTMLElement>(name: string): T {
  return page!.querySelector<T>(`[data-part="${name}"]`)!;
}

function field(name: string): HTMLInputElement {
  return page!.querySelector<HTMLInputElement>(`[data-field="${name}"]`)!;
}

function tell(text: string): void {
  part('status').textContent = text;
}

function show(playing: Playing): void {
  const { update, run, history, looked, kept } = playing;
  const now = history[looked]!;
  const isBack = looked < run.tick;
  const { title, question } = scenarioNamed(run.scenario);
  part('play').hidden = false;
  part('title').textContent = title;
  part('question').textContent = question;
  part('moment').textContent = momentWords(playing);
  part('run').textContent = update.current_state.is_running ? 'Pause' : 'Run';
  for (const name of ['run', 'step', 'end'])
    part<HTMLButtonElement>(name).disabled = update.current_state.is_over;
  drawStances(part('stances'), now, history[looked - 1], widthOf('stances'));
  showVoices(part('voices'), now);
  showActions(
    part('actions'),
    update,
    (name, parameters) => void player.say({ action: 'take_action', name, parameters }),
  );
  part('actions').hidden = isBack;
  part('back').hidden = !isBack;
  part('back-tick').textContent = String(looked);
  showCourse(playing);
  const other = kept && { label: 'Kept', shown: kept.history[Math.min(looked, kept.history.length - 1)]! };
  showMeasures(part('measures'), [{ label: 'This run', shown: now }, ...(other ? [other] : [])]);
  part('forget').hidden = !kept;
  showDebrief(part('debrief'), now.current_state.debrief);
  keepAddress(playing);
  offerTakeAway(page!, playing, question);
}

function showCourse({ history, kept, looked, run }: Playing): void {
  const range = field('look');
  range.max = String(run.tick);
  range.value = String(looked);
  range.setAttribute('aria-valuetext', `Tick ${looked} of ${run.tick}`);
  part('looked').textContent = `Tick ${looked}`;
  part('course').innerHTML = coursePicture(history, {
    width: widthOf('course'),
    title: `Opinions of the sentinels from tick 0 to ${run.tick}`,
    looked,
    ...(kept ? { other: kept.history } : {}),
  });
}

function widthOf(name: string): number {
  return Math.min(WIDE, Math.max(260, part(name).parentElement!.clientWidth));
}

function momentWords({ update, looked, history, isServed }: Playing): string {
  const { current_state: state } = history[looked]!;
  const { deliberation, cycle, horizon } = state;
  const round = `round ${deliberation.round} of ${deliberation.rounds}`;
  const vote = deliberation.status === 'open' ? `, vote after tick ${deliberation.round_ends}` : '';
  const place = isServed ? 'run by the service' : 'run in this page';
  return `Tick ${looked} of ${horizon} · ${cycle} · ${round}${vote} · ${formatToken(deliberation.status)} · seed ${update.seed} · ${place}`;
}

/** Keeps the address in step with the run, so that it can be copied. */
function keepAddress({ run, update, kept }: Playing): void {
  // Browsers limit changes of the address to a few per second.
  if (update.current_state.is_running && run.tick % 4 !== 0) return;
  history.replaceState(null, '', `${location.pathname}${formatRunAddress(run, kept?.run)}`);
}

const player = new Player(show, tell);
const pace = () => Number(field('pace').value);

const DOINGS: Readonly<Record<string, () => void>> = {
  run() {
    const isRunning = player.playing?.update.current_state.is_running;
    void player.say(isRunning ? { action: 'pause' } : { action: 'run', pace_ms: pace() });
  },
  step: () => void player.say({ action: 'step', ticks: 1 }),
  end: () => void player.say({ action: 'step', ticks: 100 }),
  reset: () => void player.say({ action: 'reset' }),
  branch: () => void player.branch(pace()),
  newest: () => player.lookAt(player.playing!.run.tick),
  keep: () => player.keep(),
  forget: () => player.forget(),
};

function begin(): void {
  part('begin').hidden = false;
  const form = part<HTMLFormElement>('begin');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const seed = field('seed').value;
    const scenario = field('scenario').value;
    void player.begin({ scenario, ...(seed === '' ? {} : { seed: Number(seed) }) }, false, pace());
    part('title').focus();
  });
  page!.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest<HTMLElement>('[data-do]');
    if (button) DOINGS[button.dataset.do!]?.();
  });
  field('look').addEventListener('input', () => player.lookAt(Number(field('look').value)));
  field('stop').addEventListener('change', () => {
    player.stopsAtDecisions = field('stop').checked;
  });
  field('pace').addEventListener('change', () => {
    if (player.playing?.update.current_state.is_running) void player.say({ action: 'run', pace_ms: pace() });
  });
  addEventListener('resize', () => player.playing && show(player.playing));
  const { clipboard } = navigator as { clipboard?: Navigator['clipboard'] };
  if (clipboard)
    for (const block of page!.querySelectorAll<HTMLElement>('[data-copy]')) addCopyButton(block, clipboard);
  open();
}

/** Opens the run in the address, paused. Without one, nothing happens until a reader starts a run. */
function open(): void {
  try {
    const parameters = new URLSearchParams(location.search);
    const named = parseRunAddress(parameters);
    if (!named) return;
    const { run, kept } = named;
    field('scenario').value = run.scenario;
    if (kept) player.keepBeside(kept);
    if (parameters.has('seed') || parameters.has('do')) void player.begin(run, true, pace());
  } catch (error) {
    tell(`The address does not describe a valid run. ${(error as Error).message}`);
  }
}

if (page) begin();
