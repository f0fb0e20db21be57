import { citeRun } from './cite-run.ts';
import { coursePicture } from './course-picture.ts';
import type { Playing } from './player.ts';
import { formatRunAddress } from './run-address.ts';
import { standAlone } from './stand-alone.ts';
import { transcriptCsv, transcriptJson } from './transcript.ts';

const PICTURE_WIDTH = 900;

/** The link, the citation, and the buttons that save the run as files. */
export function offerTakeAway(page: HTMLElement, playing: Playing, title: string): void {
  const { run, kept } = playing;
  const here = `${location.origin}${location.pathname}`;
  // Citation, transcript and picture are of this run alone.
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
