import { isConfirmed, oldAge } from './age.ts';
import { makeElement } from './make-element.ts';

/** A page can stay open for days. */
const EVERY_MS = 60_000;

/** Shows the notice once the page's data are stale. Only pages with the figures of a release load this script. */
for (const notice of document.querySelectorAll<HTMLElement>('.old-data')) {
  const { asOf = '', moment = '' } = notice.dataset;
  const time = Date.parse(asOf);
  const look = async () => {
    const age = oldAge(time, Date.now());
    if (age === null) {
      notice.hidden = true;
      return;
    }
    const isQuiet = isConfirmed(await latest(), time, Date.now());
    const [what, words] = isQuiet
      ? [
          'The ledger is quiet.',
          `Its last event was at ${moment}, ${age} ago, and the publisher still signs these data as the newest.`,
        ]
      : [
          'These data are out of date.',
          `A release is due every six hours; this one is as of ${moment}, ${age} ago.`,
        ];
    // A screen reader says again what is written again.
    if (notice.textContent !== `${what} ${words}`)
      notice.replaceChildren(makeElement('p', '', makeElement('strong', '', what), ` ${words}`));
    notice.hidden = false;
  };
  void look();
  setInterval(look, EVERY_MS);
}

/** Null where the host has no readable `/latest.json`. */
async function latest(): Promise<unknown> {
  return fetch('/latest.json', { cache: 'no-cache' })
    .then((response) => response.json() as Promise<unknown>)
    .catch(() => null);
}
