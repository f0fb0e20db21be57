import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { askedDecisions, labelOf } from '../../simulation/decisions.ts';
import type { Run } from '../../simulation/run.ts';
import { textOf } from '../../simulation/scenario.ts';
import type { World } from '../../simulation/world.ts';
import { make } from '../layout/make-element.ts';
import { boardRows, coursePicture } from './board.ts';
import { beforeLastChoice } from './turn.ts';
import { changesInWords, supplyInWords, tallyInWords } from './words.ts';

/** An element of the page by its name in the markup, `data-part`. */
export type Part = (name: string) => HTMLElement;

/** The situation: the question and its clock, what led here, where each one stands, the vote and the economy. */
export function showSituation(part: Part, steps: readonly Run[]): void {
  const run = steps.at(-1)!;
  const { world, scenario } = run;
  const before = beforeLastChoice(steps);
  part('title').textContent = scenario.title;
  part('question').textContent = textOf(scenario.question, world);
  part('moment').textContent = clockWords(run);
  const clock = part('clock') as HTMLProgressElement;
  [clock.max, clock.value] = [scenario.horizon, world.tick];
  part('led').replaceChildren(...(before || world.log.length > 0 ? changes(run, before) : [story(run)]));
  const opened = [...part('board').querySelectorAll('[open]')].map(({ id }) => id);
  part('board').replaceChildren(...boardRows(before?.world ?? world, world, opened));
  part('legend').textContent = before
    ? 'The tail shows how each has moved since your choice. Open a name to read why it stands there.'
    : 'Open a name to read why it stands there.';
  part('tally').replaceChildren(...tally(world));
  part('economy').replaceChildren(...economy(world));
}

/** The course of opinions, as wide as its place, which has to be laid out for that. */
export function showCourse(part: Part, steps: readonly Run[]): void {
  const place = part('course');
  place.innerHTML = coursePicture(steps, Math.max(260, place.clientWidth));
}

function clockWords({ world, scenario }: Run): string {
  const { deliberation, tick, ending } = world;
  if (ending !== null) return `The run is over after day ${tick}.`;
  const [due] = askedDecisions(world)
    .map(({ until }) => until - 1)
    .sort((a, b) => a - b);
  const decide = due === undefined ? '' : due <= tick ? ' Decide today.' : ` Decide by day ${due}.`;
  const vote = deliberation.status === 'open' ? ` The next vote is on day ${deliberation.roundEnds}.` : '';
  return `Day ${tick} of at most ${scenario.horizon}.${decide}${vote}`;
}

function story({ scenario }: Run): HTMLElement {
  // Beside the board there is room for it; on a phone, the choices come first.
  const open = matchMedia('(min-width: 62rem)').matches && '';
  const paragraphs = scenario.story.map((paragraph) => make('p', { class: 'text' }, paragraph));
  return make('details', { class: 'story', open }, make('summary', {}, 'The story'), ...paragraphs);
}

/** Changes that are shown at once, the latest ones. */
const SHOWN = 6;

function changes({ world, scenario, actions }: Run, before: Run | null): HTMLElement[] {
  const last = actions.at(-1);
  const said = before ? changesInWords(before.world, world) : world.log.map(({ text }) => text);
  const list = (texts: readonly string[]) => make('ul', {}, ...texts.map((text) => make('li', {}, text)));
  const earlier = said.slice(0, -SHOWN);
  const parts = [
    make('h3', {}, last ? `Since you chose “${labelOf(last.name, scenario)}” on day ${last.tick}` : 'So far'),
    earlier.length > 0 &&
      make('details', {}, make('summary', {}, formatCount(earlier.length, 'earlier change')), list(earlier)),
    list(said.length > 0 ? said.slice(-SHOWN) : ['Nothing that can be seen.']),
  ];
  return parts.filter((one) => one !== false);
}

/** How a vote would go, beside what it needs. */
function tally(world: World): HTMLElement[] {
  const { verdict, count, needs } = tallyInWords(world);
  return [
    make('p', { class: 'verdict' }, verdict),
    make('p', {}, count),
    make('p', { class: 'muted' }, needs),
  ];
}

/** Whether MIC are minted and why, and how many circulate. */
function economy(world: World): HTMLElement[] {
  const { mii, threshold, isMinting } = world.economy;
  const index = `The integrity index is ${formatNumber(mii, 3)}; minting needs ${formatNumber(threshold, 3)}.`;
  const stopped = world.levers.mint_share === 0 ? 'Minting is suspended.' : 'Minting is off.';
  return [
    make(
      'p',
      { class: 'verdict', 'data-minting': String(isMinting) },
      isMinting ? 'Minting is on.' : stopped,
    ),
    make('p', {}, index),
    make('p', { class: 'muted' }, supplyInWords(world)),
  ];
}
