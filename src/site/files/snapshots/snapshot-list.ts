import { DAY_MS } from '../../../../pipeline/words/day.ts';
import { checkDays } from '../../layout/day-field.ts';

const form = document.querySelector<HTMLFormElement>('#snapshot-day');

if (form) checkDays(form);

/** Opens the last snapshot of a day, of those on the page; they stand in it newest first. */
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  const end = new Date(Date.parse(form.querySelector('input')!.value.trim()) + DAY_MS);
  const links = [...document.querySelectorAll<HTMLAnchorElement>('main table a')];
  const found = links.find(({ textContent }) => textContent <= `${end.toISOString().slice(0, 13)}Z`);
  if (found) found.click();
  else form.querySelector('[role="status"]')!.textContent = 'There is no snapshot up to that day.';
});

/** An address with a month opens it. */
function openMonth(): void {
  const month = document.getElementById(location.hash.slice(1));
  if (month instanceof HTMLDetailsElement) month.open = true;
}
addEventListener('hashchange', openMonth);
openMonth();
