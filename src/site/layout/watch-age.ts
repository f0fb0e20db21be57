import { isConfirmed, oldAge } from './age.ts';

/** A page can stay open for days. */
const EVERY_MS = 60_000;

/** Shows the notice once the page's data are stale. Only pages with the figures of a release load this script. */
for (const notice of document.querySelectorAll<HTMLElement>('.old-data')) {
  const asOf = Date.parse(notice.dataset.asOf ?? '');
  const look = async () => {
    const age = oldAge(asOf, Date.now());
    for (const words of notice.querySelectorAll('[data-age]')) if (age !== null) words.textContent = age;
    if (age !== null) {
      const isQuiet = isConfirmed(await latest(), asOf, Date.now());
      notice.querySelector<HTMLElement>('[data-stale]')!.hidden = isQuiet;
      notice.querySelector<HTMLElement>('[data-quiet]')!.hidden = !isQuiet;
    }
    notice.hidden = age === null;
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
