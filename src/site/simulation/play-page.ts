import { showBelow } from './below-screen.ts';
import { showCard } from './card.ts';
import { partsOf } from './page-parts.ts';
import { Player, type Playing, stateOf } from './player.ts';
import { formatRunAddress, parseRunAddress } from './run-address.ts';
import { showScreen } from './screen.ts';

/** The seeds that a run without one gets. Few, because the service computes a run once for all who play it. */
const SEEDS = 16;

const page = document.querySelector<HTMLElement>('#simulation')!;

const { part, field } = partsOf(page);

/** For screen readers what happened; faults are visible. */
function tell(text: string, isFault: boolean): void {
  part(isFault ? 'fault' : 'said').textContent = text;
}

const player = new Player(show, tell, Number(field('pace').value));
let hasTies = false;

function show(playing: Playing): void {
  part('choose').hidden = true;
  part('play').hidden = false;
  document.body.dataset.playing = '';
  page.dataset.state = stateOf(playing);
  showScreen(page, playing, hasTies);
  showCard(part('card'), playing, {
    player,
    again: choose,
    share: () => goTo('share-title'),
    focus: focusCard,
  });
  part('more').hidden = !playing.isStarted;
  if (playing.isStarted) showBelow(page, playing);
  keepAddress(playing);
}

/** Brings what is played into view, and the reader with it. */
function focusCard(): void {
  part('card').querySelector<HTMLElement>('h3')?.focus({ preventScroll: true });
  part('screen').scrollIntoView({ block: 'start' });
}

/** Brings a part below the screen into view. */
function goTo(id: string): void {
  const heading = document.getElementById(id)!;
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: 'start' });
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
