import { oldAge } from './age.ts';

/** A page may stay open for days. */
const EVERY_MS = 60_000;

/** Shows the notice as soon as the data that it speaks of are old; a program of its own, for every page. */
for (const notice of document.querySelectorAll<HTMLElement>('.old-data')) {
  const asOf = Date.parse(notice.dataset.asOf ?? '');
  const words = notice.querySelector('[data-age]');
  const look = () => {
    const age = oldAge(asOf, Date.now());
    if (age !== null && words) words.textContent = age;
    notice.hidden = age === null;
  };
  look();
  setInterval(look, EVERY_MS);
}
