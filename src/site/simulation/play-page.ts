import { formatCount } from '../../../pipeline/words/number.ts';
import { type Run, startRun } from '../../simulation/run.ts';
import { textOf } from '../../simulation/scenario.ts';
import { makeLink } from '../layout/make-element.ts';
import { pause } from '../layout/pause.ts';
import { followAddress, putAddress } from '../layout/tool.ts';
import { cardOf } from './card.ts';
import { AddressFault, formatRunAddress, isOtherVersion, parseRunAddress } from './run-address.ts';
import { type Part, showCourse, showSituation } from './situation.ts';
import { beforeLastChoice, begin, choose, goOn } from './turn.ts';
import { changesInWords } from './words.ts';

/** The seeds that a run without one gets. */
const SEEDS = 16;

const page = document.querySelector<HTMLElement>('#simulation')!;
const part: Part = (name) => page.querySelector(`[data-part="${name}"]`)!;

/** Counts what was shown: a reader may be elsewhere before all of it is there. */
let shown = 0;

/** The page shows the run in its address. Whatever the reader does leads to another address, so “back” takes it back. */
async function show(): Promise<void> {
  shown += 1;
  const own = shown;
  await pause();
  if (own !== shown) return;
  const query = new URLSearchParams(location.search);
  const other = isOtherVersion(query)
    ? 'This link was made with another version of the scenario. What you see may differ from what was shared.'
    : '';
  part('fault').textContent = other;
  try {
    const steps = parseRunAddress(query);
    if (query.has('tick') || query.has('do')) await draw(steps, own);
    else {
      // In place of an address that does not say how far.
      history.replaceState(null, '', formatRunAddress(beginning(steps[0], !query.has('seed'))));
      await show();
    }
  } catch (error) {
    if (!(error instanceof AddressFault)) throw error;
    part('play').hidden = true;
    delete document.body.dataset.playing;
    part('fault').textContent = `This link does not lead to a run. ${error.message} ${other} `;
    if (error.nearest !== null)
      part('fault').append(makeLink('Open the part of it that is valid', error.nearest));
  }
}

async function draw(steps: readonly [Run, ...Run[]], own: number): Promise<void> {
  const run = steps.at(-1)!;
  const { world } = run;
  const card = await cardOf(run, {
    choose: (name, parameters) => go(choose(run, name, parameters)),
    goOn: () => go(goOn(run)),
    again: () => go(beginning(run, true)),
  });
  if (own !== shown) return;
  part('play').hidden = false;
  document.body.dataset.playing = '';
  page.dataset.state = world.ending !== null ? 'ended' : world.open.length > 0 ? 'decision' : 'between';
  showSituation(part, steps);
  part('card').replaceChildren(card);
  showShare(run);
  const before = beforeLastChoice(steps) ?? steps[0];
  part('said').textContent = [`Day ${world.tick}.`, ...changesInWords(before.world, world)].join(' ');
  // What follows has the page laid out, and would hold its reader up for longer together with the above.
  await pause();
  if (own !== shown) return;
  // Brings what is played into view, and the reader with it.
  card.querySelector('h3')!.focus({ preventScroll: true });
  part('screen').scrollIntoView();
  showCourse(part, steps);
}

/** The link of the run, and its citation with the year of the release, because a run has no date. */
function showShare(run: Run): void {
  const { scenario, seed, actions, world } = run;
  const { author, year } = page.dataset;
  const address = `${location.origin}${location.pathname}${formatRunAddress(run)}`;
  const done = formatCount(actions.length, 'action');
  const title = textOf(scenario.question, world);
  const cited = `${author} (${year}). ${title} [simulation run]. Scenario ${scenario.name}, seed ${seed}, ${done}, tick ${world.tick}. ${address}`;
  for (const [name, text] of Object.entries({ link: address, citation: cited }))
    part(name).querySelector('code')!.textContent = text;
}

/** Goes to the address of a run. */
function go(run: Run): void {
  putAddress(`${location.pathname}${formatRunAddress(run)}`);
  void show();
}

/** A run of the same scenario and settings up to its first decision. `isAnew`: with one of a few other seeds. */
function beginning({ scenario, seed, settings }: Run, isAnew: boolean): Run {
  const other = isAnew ? 1 + Math.floor(Math.random() * SEEDS) : seed;
  return begin(startRun(scenario.name, other, settings));
}

followAddress(() => void show());
