import { oldAge, standingOf } from './age.ts';
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
    const [what, words] = noticeOf(standingOf(await latest(), time, Date.now()), moment, age);
    // A screen reader says again what is written again.
    if (notice.textContent !== `${what} ${words}`)
      notice.replaceChildren(makeElement('p', '', makeElement('strong', '', what), ` ${words}`));
    notice.hidden = false;
  };
  void look();
  setInterval(look, EVERY_MS);
}

function noticeOf(standing: ReturnType<typeof standingOf>, moment: string, age: string): [string, string] {
  if (standing === 'newest')
    return [
      'The ledger is quiet.',
      `Its last event was at ${moment}, ${age} ago, and the publisher still signs these data as the newest.`,
    ];
  // Of a page that has been open for long, which says nothing about the service.
  if (standing === 'replaced')
    return ['There are newer data.', `Reload this page, which is as of ${moment}, ${age} ago, to see them.`];
  return [
    'These data are out of date.',
    `A release is due every six hours; this one is as of ${moment}, ${age} ago.`,
  ];
}

/** Null where the host has no readable `/latest.json`. */
async function latest(): Promise<unknown> {
  return fetch('/latest.json', { cache: 'no-cache' })
    .then((response) => response.json() as Promise<unknown>)
    .catch(() => null);
}
