import { type Run, startRun } from '../../simulation/run.ts';
import { choicesCard } from './choices.ts';
import { showCourse } from './course.ts';
import { endingCard } from './ending.ts';
import { type Addressed, formatRunAddress, parseRunAddress } from './run-address.ts';
import { type Part, showSituation } from './situation.ts';
import { offerTakeAway } from './take-away.ts';
import { beforeLastChoice, begin, choose, goOn } from './turn.ts';
import { changesInWords } from './words.ts';

/** The seeds that a run without one gets. */
const SEEDS = 16;

const page = document.querySelector<HTMLElement>('#simulation')!;
const part: Part = (name) => page.querySelector(`[data-part="${name}"]`)!;
/** What is shown, to be drawn again where the window changes. */
let shown: readonly Run[] | null = null;

/** The page shows the run in its address. Whatever the reader does leads to another address, so “back” takes it back. */
function show(): void {
  try {
    const query = new URLSearchParams(location.search);
    const addressed = parseRunAddress(query);
    part('fault').textContent = addressed ? faultWords(addressed) : '';
    if (!addressed) close();
    else if (!query.has('tick') && !query.has('do') && addressed.faults.length === 0)
      start(addressed.steps[0], !query.has('seed'));
    else {
      shown = addressed.steps;
      draw();
      focusCard();
    }
  } catch (error) {
    close();
    part('fault').textContent = `The link names no run. ${(error as Error).message}`;
  }
}

function faultWords({ faults, isOther }: Addressed): string {
  const other =
    'This link was made with another version of the scenario. What you see may differ from what was shared.';
  return [
    ...(isOther ? [other] : []),
    ...(faults.length > 0 ? ['The link is not valid as a whole.', ...faults] : []),
  ].join(' ');
}

function draw(): void {
  const run = shown!.at(-1)!;
  const isOver = run.world.ending !== null;
  part('choose').hidden = true;
  part('play').hidden = false;
  document.body.dataset.playing = '';
  page.dataset.state = isOver ? 'ended' : run.world.open.length > 0 ? 'decision' : 'between';
  showSituation(part, shown!);
  part('card').replaceChildren(
    isOver
      ? endingCard(run, playAgain)
      : choicesCard(run, {
          choose: (name, parameters) => go(choose(run, name, parameters)),
          goOn: () => go(goOn(run)),
        }),
  );
  showCourse(part, shown!);
  offerTakeAway(page, shown!);
  const before = beforeLastChoice(shown!) ?? shown![0]!;
  part('said').textContent = [`Day ${run.world.tick}.`, ...changesInWords(before.world, run.world)].join(' ');
}

function playAgain(): void {
  history.pushState(null, '');
  start(shown![0]!, true);
}

/** Goes to the address of a run. */
function go(run: Run): void {
  history.pushState(null, '', formatRunAddress(run));
  show();
}

/** A run from its first decision on, in place of an address that does not say how far. `isAnew`: with one of a few other seeds. */
function start({ scenario, seed, settings }: Run, isAnew: boolean): void {
  const other = isAnew ? 1 + Math.floor(Math.random() * SEEDS) : seed;
  history.replaceState(null, '', formatRunAddress(begin(startRun(scenario.name, other, settings))));
  show();
}

/** The list of scenarios. */
function close(): void {
  shown = null;
  part('play').hidden = true;
  part('choose').hidden = false;
  delete document.body.dataset.playing;
}

/** Brings what is played into view, and the reader with it. */
function focusCard(): void {
  part('card').querySelector<HTMLElement>('h3')!.focus({ preventScroll: true });
  part('screen').scrollIntoView({ block: 'start' });
}

page.addEventListener('click', (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="?"], a[data-do="scenarios"]');
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  history.pushState(null, '', link.href);
  show();
});
addEventListener('resize', () => shown && draw());
addEventListener('popstate', show);
show();
