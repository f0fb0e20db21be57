import { isConfirmed, oldAge } from './age.ts';

/** A page may stay open for days. */
const EVERY_MS = 60_000;

/** Shows the notice as soon as the data that it speaks of are old; a program of its own, for every page. */
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

/** Null where a host has none, or none that can be read. */
async function latest(): Promise<unknown> {
  return fetch('/latest.json', { cache: 'no-cache' })
    .then((response) => response.json() as Promise<unknown>)
    .catch(() => null);
}
