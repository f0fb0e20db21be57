import { formatCell } from '../../../pipeline/artifacts/format/csv.ts';
import { replay } from '../../simulation/run.ts';
import type { Shown } from '../../simulation/view.ts';
import { VIRTUES, type Virtue } from '../../simulation/virtues.ts';
import { saveFile } from '../layout/save-file.ts';
import { coursePicture } from './course-picture.ts';
import type { Playing } from './player.ts';
import { formatRunAddress, type RecordedRun } from './run-address.ts';

type Cell = string | number;

/** The value of each column for sentinel i of an update. */
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
  ...byVirtueColumns(
    'virtue',
    (virtue) =>
      ({ current_state }) =>
        current_state.virtues[virtue],
  ),
  deliberation: ({ current_state }) => current_state.deliberation.status,
  // Empty where there was no vote on this tick.
  vote: ({ tick, current_state }) =>
    current_state.deliberation.votes.find((vote) => vote.tick === tick)?.result ?? '',
  ...byVirtueColumns(
    'weight',
    (virtue) =>
      ({ model }, i) =>
        model.sentinels[i]!.weights[virtue],
  ),
  // Empty where the equation has no single solution.
  resting_opinion: ({ model }, i) => model.sentinels[i]!.resting_opinion ?? '',
};

function byVirtueColumns(
  name: string,
  read: (virtue: Virtue) => (shown: Shown, i: number) => number,
): Record<string, (shown: Shown, i: number) => number> {
  return Object.fromEntries(VIRTUES.map((virtue) => [`${name}_${virtue}`, read(virtue)]));
}

/** A row per sentinel and tick, as in RFC 4180 except that lines end with a line feed. */
export function transcriptCsv(history: readonly Shown[]): string {
  const columns = Object.entries(COLUMNS).map(([name, read]) => ({
    read,
    type: name === 'tick' ? '' : 'number',
  }));
  const rows = history.flatMap((shown) =>
    shown.sentinels.map((_, i) => columns.map(({ read, type }) => formatCell(read(shown, i), type))),
  );
  return formatCsv([Object.keys(COLUMNS), ...rows]);
}

/** A row per action, and per decision whose default was taken, in order. Parameters: `name=value`, separated by semicolons. */
export function decisionsCsv(run: RecordedRun): string {
  const { taken } = replay(run).world;
  const moves = run.actions.map(({ tick, name, parameters }) => {
    const decision = taken.find((one) => one.tick === tick && one.choice === name)?.decision ?? '';
    const values = Object.entries(parameters).map(([parameter, value]) => `${parameter}=${value}`);
    return { tick, row: [tick, decision, name, values.join(';'), 'you'] };
  });
  const byTime = taken
    .filter(({ isDefault }) => isDefault)
    .map(({ tick, decision, choice }) => ({ tick, row: [tick, decision, choice, '', 'time'] }));
  const rows = [...byTime, ...moves].toSorted((a, b) => a.tick - b.tick).map(({ row }) => row);
  return formatCsv([['tick', 'decision', 'choice', 'parameters', 'by'], ...rows]);
}

/** No cell has a comma, a quotation mark or a line break in it. */
function formatCsv(rows: readonly (readonly Cell[])[]): string {
  return `${rows.map((cells) => cells.join(',')).join('\n')}\n`;
}

/** Everything that was shown, and what is needed to reproduce it. `address` replays it on the page. */
export function transcriptJson(run: RecordedRun, history: readonly Shown[], address: string): string {
  const updates = history.map(({ tick, sentinels, model, current_state, next_actions }) => ({
    tick,
    sentinels,
    model,
    current_state,
    next_actions: next_actions.map(({ name }) => name),
  }));
  return `${JSON.stringify({ format: 'cathedral-simulation/1', address, ...run, updates }, null, 2)}\n`;
}

const PICTURE_WIDTH = 900;

/** Fills in the link and the citation, and makes the buttons save the run as files. */
export function offerTakeAway(page: HTMLElement, playing: Playing, title: string): void {
  const { run, kept } = playing;
  const here = `${location.origin}${location.pathname}`;
  // Citation, transcript and picture describe this run only, not the kept one.
  const address = `${here}${formatRunAddress(run)}`;
  const { author = '', year = '' } = page.dataset;
  const textOf: Readonly<Record<string, string>> = {
    link: `${here}${formatRunAddress(run, kept?.run)}`,
    citation: citeRun(run, { title, author, year, address }),
  };
  for (const [name, text] of Object.entries(textOf))
    page.querySelector(`[data-part="${name}"] code`)!.textContent = text;
  for (const button of page.querySelectorAll<HTMLButtonElement>('[data-save]'))
    button.onclick = () => {
      const ending = button.dataset.save!;
      const [type, text] = contentOf(ending, playing, { address, title });
      saveFile(`${run.scenario}-${run.seed}-${run.tick}.${ending}`, new Blob([text], { type }));
    };
}

/** The media type and content of what is saved with this ending. */
function contentOf(
  ending: string,
  { run, history, kept }: Playing,
  about: { address: string; title: string },
): [type: string, text: string] {
  if (ending === 'csv') return ['text/csv', transcriptCsv(history)];
  if (ending === 'decisions.csv') return ['text/csv', decisionsCsv(run)];
  if (ending === 'json') return ['application/json', transcriptJson(run, history, about.address)];
  const colour = (variable: string) =>
    getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
  const other = kept ? { other: kept.history } : {};
  const picture = coursePicture(history, {
    width: PICTURE_WIDTH,
    title: about.title,
    source: about.address,
    ...other,
  });
  return ['image/svg+xml', standAlone(picture, colour)];
}

/** A citation in prose. `year` is that of the release, because a run has no date; `address` replays it. */
function citeRun(
  { scenario, seed, actions, tick }: RecordedRun,
  { title, author, year, address }: { title: string; author: string; year: string; address: string },
): string {
  const done = actions.length === 1 ? '1 action' : `${actions.length} actions`;
  return `${author} (${year}). ${title} [simulation run]. Scenario ${scenario}, seed ${seed}, ${done}, tick ${tick}. ${address}`;
}

/** The picture with the page’s current colours instead of CSS variables, so that it can be opened on its own. */
export function standAlone(svg: string, colour: (name: string) => string): string {
  const paper = colour('--paper');
  return svg
    .replaceAll(/var\((--[\w-]+)\)/g, (_, name: string) => colour(name))
    .replace(/(<svg[^>]*>)/, `$1<rect width="100%" height="100%" fill="${paper}"/>`);
}
