import type { LiveValue } from '../../../../pipeline/artifacts/artifact.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { isServed } from './is-served.ts';
import { liveText } from './live-values.ts';

/** A message about one path. Without `value`, only the file's time has changed. */
interface Message {
  timestamp: string;
  value?: unknown;
}

/** After a refusal, ms; up to twice as long, so that not all pages ask at once. */
const AGAIN_MS = 30_000;

/**
 * Keeps the page's values in step with the ledger. Does nothing in a static copy. A hidden page closes its connection,
 * because a browser allows at most six per host.
 */
async function followLive(): Promise<void> {
  const elements = [...document.querySelectorAll<HTMLElement>('[data-live]')];
  const paths = [...new Set(elements.map(({ dataset }) => dataset.livePath!))];
  if (paths.length === 0 || !(await isServed(location.pathname).catch(() => false))) return;
  let source: EventSource | null = null;
  let again = 0;
  const turn = () => {
    clearTimeout(again);
    source?.close();
    source = document.hidden ? null : listen(paths, elements, turnLater);
  };
  const turnLater = () => {
    again = window.setTimeout(turn, AGAIN_MS * (1 + Math.random()));
  };
  document.addEventListener('visibilitychange', turn);
  // A page in the back/forward cache would keep its connection.
  addEventListener('pagehide', () => source?.close());
  addEventListener('pageshow', ({ persisted }) => persisted && turn());
  turn();
}

function listen(
  paths: readonly string[],
  elements: readonly HTMLElement[],
  refused: () => void,
): EventSource {
  const source = new EventSource(`/live?paths=${paths.join(',')}`);
  for (const path of paths) {
    source.addEventListener(path, ({ data }: MessageEvent<string>) => {
      const { timestamp, value } = JSON.parse(data) as Message;
      if (value !== undefined) show(path, value, elements);
      label(timestamp, true);
    });
  }
  // The browser reconnects, unless it was refused, as by a proxy while the server restarts. A server without a stream refuses always.
  source.addEventListener('error', () => {
    label(null, false);
    if (source.readyState === EventSource.CLOSED && newest !== '') refused();
  });
  return source;
}

function show(path: string, file: unknown, elements: readonly HTMLElement[]): void {
  for (const element of elements.filter(({ dataset }) => dataset.livePath === path)) {
    const { livePlace = '', of = '' } = element.dataset;
    const text = liveText(file, JSON.parse(livePlace) as LiveValue, of);
    if (text !== null && element.textContent?.trim() !== text) element.textContent = text;
  }
}

let newest = '';

/**
 * States which values are live, and the time of the others. The time has minute precision, so a screen reader announces it
 * at most once a minute.
 */
function label(timestamp: string | null, isLive: boolean): void {
  if (timestamp !== null && timestamp > newest) newest = timestamp;
  if (newest === '') return;
  for (const element of document.querySelectorAll<HTMLElement>('[data-live-label]')) {
    const { liveLabel: what, asOf } = element.dataset;
    const text = `${what}: ${isLive ? 'live, ' : ''}as of ${formatMoment(newest)}. Everything else: as of ${asOf}.`;
    element.classList.toggle('is-live', isLive);
    if (element.textContent !== text) element.textContent = text;
  }
}

// A page with two labels loads this script twice.
const { dataset } = document.documentElement;
if (!dataset.following) {
  dataset.following = 'yes';
  void followLive();
}
