import { formatCell } from '../../../pipeline/artifacts/format/csv.ts';
import type { Run } from '../../simulation/run.ts';
import { textOf } from '../../simulation/scenario.ts';
import { type Shown, show } from '../../simulation/view.ts';
import { saveFile } from '../layout/save-file.ts';
import { coursePicture } from './course.ts';
import { formatRunAddress } from './run-address.ts';

/** Everything that was shown at each tick, after what was done at it. */
function historyOf(steps: readonly Run[]): Shown[] {
  const last = steps.filter((step, i) => steps[i + 1]?.world.tick !== step.world.tick);
  return last.map((step) => show(step, { outlooks: false }));
}

/** What a sentinel and its world are at a tick, by column. */
function rowsOf({
  tick,
  sentinels,
  model,
  current_state,
}: Shown): Readonly<Record<string, string | number>>[] {
  const { cycle, economy, opinions, virtues, deliberation } = current_state;
  const prefixed = (prefix: string, values: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}_${name}`, value]));
  return sentinels.map(({ id, reasoning: _, virtue_tags: __, ...sentinel }, i) => ({
    ...{ tick, cycle, sentinel: id, ...sentinel },
    ...{ mii: economy.mii, threshold: economy.threshold, total_supply: economy.total_supply },
    ...{ mean_opinion: opinions.mean, polarisation: opinions.polarisation, ...prefixed('virtue', virtues) },
    deliberation: deliberation.status,
    // Empty where there was no vote on this tick.
    vote: deliberation.votes.find((vote) => vote.tick === tick)?.result ?? '',
    ...prefixed('weight', model.sentinels[i]!.weights),
  }));
}

/** A row per sentinel and tick, as in RFC 4180 except that lines end with a line feed. No cell has a comma or a quotation mark in it. */
export function transcriptCsv(steps: readonly Run[]): string {
  const rows = historyOf(steps).flatMap(rowsOf);
  const lines = rows.map((row) =>
    Object.entries(row).map(([name, value]) => formatCell(value, name === 'tick' ? '' : 'number')),
  );
  return `${[Object.keys(rows[0]!), ...lines].map((cells) => cells.join(',')).join('\n')}\n`;
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
