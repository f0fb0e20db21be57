import type { Shown } from '../../../simulation/view.ts';
import { coursePicture } from './course-picture.ts';
import type { Playing } from './player.ts';
import { formatRunAddress, type RecordedRun } from './run-address.ts';

const COLUMNS = [
  'tick',
  'cycle',
  'sentinel',
  'cathedral',
  'position',
  'opinion',
  'innate_opinion',
  'status',
  'drift',
  'gi_score',
  'coordination_score',
  'total_rewards',
  'mii',
  'threshold',
  'total_supply',
] as const;

/** A row per sentinel and tick, as in RFC 4180 except that lines end with a line feed. */
export function transcriptCsv(history: readonly Shown[]): string {
  const rows = history.flatMap(({ tick, sentinels, current_state: { cycle, economy } }) =>
    sentinels.map((one) => {
      const { id, cathedral, position, opinion, innate_opinion, status, drift } = one;
      const { mii, threshold, total_supply } = economy;
      const { gi_score, coordination_score, total_rewards } = one;
      const ofSentinel = [position, opinion, innate_opinion, status, drift, gi_score, coordination_score];
      return [tick, cycle, id, cathedral, ...ofSentinel, total_rewards, mii, threshold, total_supply].join(
        ',',
      );
    }),
  );
  return `${[COLUMNS.join(','), ...rows].join('\n')}\n`;
}

/** Everything that was shown, and what is needed to reproduce it. `address` replays it on the page. */
export function transcriptJson(run: RecordedRun, history: readonly Shown[], address: string): string {
  const updates = history.map(({ tick, sentinels, current_state, next_actions }) => ({
    tick,
    sentinels,
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
    button.onclick = () => save(fileOf(button.dataset.save!, playing, { address, title }));
}

interface SavedFile {
  name: string;
  type: string;
  text: string;
}

function fileOf(
  ending: string,
  { run, history, kept }: Playing,
  about: { address: string; title: string },
): SavedFile {
  const name = `${run.scenario}-${run.seed}-${run.tick}.${ending}`;
  if (ending === 'csv') return { name, type: 'text/csv', text: transcriptCsv(history) };
  if (ending === 'json')
    return { name, type: 'application/json', text: transcriptJson(run, history, about.address) };
  const colour = (variable: string) =>
    getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
  const other = kept ? { other: kept.history } : {};
  const picture = coursePicture(history, {
    width: PICTURE_WIDTH,
    title: about.title,
    source: about.address,
    ...other,
  });
  return { name, type: 'image/svg+xml', text: standAlone(picture, colour) };
}

function save({ name, type, text }: SavedFile): void {
  const href = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
  URL.revokeObjectURL(href);
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
