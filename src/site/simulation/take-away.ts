import { formatCell } from '../../../pipeline/artifacts/format/csv.ts';
import type { Run } from '../../simulation/run.ts';
import { textOf } from '../../simulation/scenario.ts';
import { type Shown, show } from '../../simulation/view.ts';
import { VIRTUES } from '../../simulation/world.ts';
import { saveFile } from '../layout/save-file.ts';
import { coursePicture } from './course.ts';
import { formatRunAddress } from './run-address.ts';

type Cell = string | number;

/** The value of each column for sentinel i of a tick. */
const COLUMNS: Readonly<Record<string, (shown: Shown, i: number) => Cell>> = {
  tick: ({ tick }) => tick,
  cycle: ({ current_state }) => current_state.cycle,
  sentinel: ({ sentinels }, i) => sentinels[i]!.id,
  cathedral: ({ sentinels }, i) => sentinels[i]!.cathedral,
  position: ({ sentinels }, i) => sentinels[i]!.position,
  opinion: ({ sentinels }, i) => sentinels[i]!.opinion,
  innate_opinion: ({ sentinels }, i) => sentinels[i]!.innate_opinion,
  status: ({ sentinels }, i) => sentinels[i]!.status,
  drift: ({ sentinels }, i) => sentinels[i]!.drift,
  gi_score: ({ sentinels }, i) => sentinels[i]!.gi_score,
  coordination_score: ({ sentinels }, i) => sentinels[i]!.coordination_score,
  total_rewards: ({ sentinels }, i) => sentinels[i]!.total_rewards,
  mii: ({ current_state }) => current_state.economy.mii,
  threshold: ({ current_state }) => current_state.economy.threshold,
  total_supply: ({ current_state }) => current_state.economy.total_supply,
  mean_opinion: ({ current_state }) => current_state.opinions.mean,
  polarisation: ({ current_state }) => current_state.opinions.polarisation,
  ...Object.fromEntries(
    VIRTUES.map((virtue) => [
      `virtue_${virtue}`,
      ({ current_state }: Shown) => current_state.virtues[virtue],
    ]),
  ),
  deliberation: ({ current_state }) => current_state.deliberation.status,
  // Empty where there was no vote on this tick.
  vote: ({ tick, current_state }) =>
    current_state.deliberation.votes.find((vote) => vote.tick === tick)?.result ?? '',
  ...Object.fromEntries(
    VIRTUES.map((virtue) => [
      `weight_${virtue}`,
      ({ model }: Shown, i: number) => model.sentinels[i]!.weights[virtue],
    ]),
  ),
};

/** Everything that was shown at each tick, after what was done at it. */
function historyOf(steps: readonly Run[]): Shown[] {
  const last = steps.filter((step, i) => steps[i + 1]?.world.tick !== step.world.tick);
  return last.map((step) => show(step, { outlooks: false }));
}

/** A row per sentinel and tick, as in RFC 4180 except that lines end with a line feed. No cell has a comma or a quotation mark in it. */
export function transcriptCsv(steps: readonly Run[]): string {
  const columns = Object.entries(COLUMNS);
  const rows = historyOf(steps).flatMap((shown) =>
    shown.sentinels.map((_, i) =>
      columns.map(([name, read]) => formatCell(read(shown, i), name === 'tick' ? '' : 'number')),
    ),
  );
  return `${[columns.map(([name]) => name), ...rows].map((cells) => cells.join(',')).join('\n')}\n`;
}

/** Everything that was shown, and what is needed to reproduce it. `address` replays it on the page. */
export function transcriptJson(steps: readonly Run[], address: string): string {
  const { scenario, seed, settings, actions, world } = steps.at(-1)!;
  const updates = historyOf(steps).map(({ tick, sentinels, model, current_state, next_actions }) => ({
    tick,
    sentinels,
    model,
    current_state,
    next_actions: next_actions.map(({ name }) => name),
  }));
  const run = { scenario: scenario.name, seed, settings, actions, tick: world.tick };
  return `${JSON.stringify({ format: 'cathedral-simulation/1', address, ...run, updates }, null, 2)}\n`;
}

const PICTURE_WIDTH = 900;

/** Fills in the link and the citation, and makes the buttons save the run as files. */
export function offerTakeAway(page: HTMLElement, steps: readonly Run[]): void {
  const run = steps.at(-1)!;
  const { scenario, seed, world } = run;
  const address = `${location.origin}${location.pathname}${formatRunAddress(run)}`;
  const title = textOf(scenario.question, world);
  const { author = '', year = '' } = page.dataset;
  const fill = (name: string, text: string) => {
    page.querySelector(`[data-part="${name}"] code`)!.textContent = text;
  };
  fill('link', address);
  fill('citation', citeRun(run, { title, author, year, address }));
  const colour = (variable: string) =>
    getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
  const contents: Readonly<Record<string, () => [type: string, text: string]>> = {
    csv: () => ['text/csv', transcriptCsv(steps)],
    json: () => ['application/json', transcriptJson(steps, address)],
    svg: () => [
      'image/svg+xml',
      standAlone(coursePicture(steps, { width: PICTURE_WIDTH, title, source: address }), colour),
    ],
  };
  for (const button of page.querySelectorAll<HTMLButtonElement>('[data-save]'))
    button.onclick = () => {
      const ending = button.dataset.save!;
      const [type, text] = contents[ending]!();
      saveFile(`${scenario.name}-${seed}-${world.tick}.${ending}`, new Blob([text], { type }));
    };
}

/** A citation in prose. `year` is that of the release, because a run has no date; `address` replays it. */
function citeRun(
  { scenario, seed, actions, world }: Run,
  { title, author, year, address }: { title: string; author: string; year: string; address: string },
): string {
  const done = actions.length === 1 ? '1 action' : `${actions.length} actions`;
  return `${author} (${year}). ${title} [simulation run]. Scenario ${scenario.name}, seed ${seed}, ${done}, tick ${world.tick}. ${address}`;
}

/** The picture with the page’s current colours instead of CSS variables, so that it can be opened on its own. */
export function standAlone(svg: string, colour: (name: string) => string): string {
  return svg
    .replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => colour(name))
    .replace(/(<svg[^>]*>)/, `$1<rect width="100%" height="100%" fill="${colour('--paper')}"/>`);
}
