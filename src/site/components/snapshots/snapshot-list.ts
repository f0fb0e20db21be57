import { parseAsOf } from '../../../../pipeline/release/format/snapshot-at.ts';

const form = document.querySelector<HTMLFormElement>('#snapshot-day');

/** Opens the last snapshot of a day, of those on the page; they stand in it newest first. */
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  const day = form.querySelector('input')!.value;
  const end = parseAsOf(day);
  const links = [...document.querySelectorAll<HTMLAnchorElement>('main table a')];
  const until = end === null ? '' : new Date(end).toISOString();
  const found = links.find(({ textContent }) => textContent <= `${until.slice(0, 13)}Z`);
  if (found) found.click();
  else form.querySelector('[role="status"]')!.textContent = 'There is none up to that day.';
});

/** An address with a month opens it. */
function openMonth(): void {
  const month = document.getElementById(location.hash.slice(1));
  if (month instanceof HTMLDetailsElement) month.open = true;
}
addEventListener('hashchange', openMonth);
openMonth();
