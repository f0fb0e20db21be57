import '../attestations/without-eval.ts';
import '../files/file-script.ts';
import { type Changes, changesBetween, yearsOf } from '../../../../pipeline/forms/changes/changes-between.ts';
import { changesDocument } from '../../../../pipeline/forms/changes/changes-document.ts';
import { type Period, parsePeriod } from '../../../../pipeline/forms/changes/period.ts';
import { YEAR_FORMAT, type YearOfDays, yearPath } from '../../../../pipeline/forms/changes/year-of-days.ts';
import { checkDays } from '../day-field.ts';
import { periodAddress, reportCitation, reportCsv, reportHtml, reportText } from './change-report.ts';

const outcome = find('#changes-outcome');
const said = find('#changes-said');
const form = find<HTMLFormElement>('#changes-form');
const { base = '', author = '', first = '', last = '', years = '' } = outcome.dataset;
const extent = { first, last };

function find<E extends HTMLElement = HTMLElement>(selector: string): E {
  return document.querySelector<E>(selector)!;
}

/** Each year is read once. A failed one is asked for again the next time. */
const loaded = new Map<string, YearOfDays>();

async function readYear(year: string): Promise<YearOfDays> {
  const known = loaded.get(year);
  if (known) return known;
  const path = `/${yearPath(year)}`;
  const response = await fetch(path).catch((error: Error) => {
    throw new Error(`${path} cannot be loaded (${error.message}). Are you offline? Press the button again.`);
  });
  if (!response.ok) throw new Error(`${path} cannot be loaded: the host answered ${response.status}.`);
  const content = (await response.json().catch(() => null)) as YearOfDays | null;
  if (content?.format !== YEAR_FORMAT)
    throw new Error(
      `${path} has another format than this page. A new release was published: reload the page.`,
    );
  loaded.set(year, content);
  return content;
}

function say(words: string): void {
  said.textContent = words;
  said.hidden = words === '';
}

function fillIn({ since, until }: Period): void {
  (form.elements.namedItem('since') as HTMLInputElement).value = since;
  (form.elements.namedItem('until') as HTMLInputElement).value = until;
}

/** Which call is the newest: an earlier one that ends later must not replace its result. */
let newest = 0;

async function show(query: URLSearchParams): Promise<void> {
  newest += 1;
  const own = newest;
  const asked = { since: query.get('since')?.trim() ?? '', until: query.get('until')?.trim() ?? '' };
  const found = parsePeriod(asked, extent);
  if ('fault' in found) {
    say(found.fault.message);
    outcome.removeAttribute('aria-busy');
    return;
  }
  fillIn(found.period);
  outcome.setAttribute('aria-busy', 'true');
  try {
    const files = await Promise.all(yearsOf(found.period, years.split(' ')).map(readYear));
    if (own !== newest) return;
    showChanges(changesBetween(files, found.period));
    say('');
  } catch (error) {
    if (own === newest) say((error as Error).message);
  } finally {
    if (own === newest) outcome.removeAttribute('aria-busy');
  }
}

function showChanges(changes: Changes): void {
  outcome.innerHTML = reportHtml(changes);
  replaceText('#changes-citation', reportCitation(changes, base, author));
  replaceText('#changes-text', reportText(changes, base));
  const name = `changes_${changes.since}_${changes.until}`;
  const json = `${JSON.stringify(changesDocument(changes, extent, base), null, 2)}\n`;
  offer('json', json, `${name}.json`, 'application/json');
  offer('csv', reportCsv(changes, base), `${name}.csv`, 'text/csv');
  const colophon = document.querySelector('.colophon');
  if (colophon) colophon.textContent = `${base}${periodAddress(changes)}`;
  document.title = `What changed from ${changes.since} to ${changes.until} – Cathedral Data Service`;
}

function replaceText(selector: string, text: string): void {
  find(`${selector} code`).textContent = text;
}

function offer(kind: string, text: string, name: string, type: string): void {
  const link = find<HTMLAnchorElement>(`[data-form="${kind}"]`);
  if (link.href.startsWith('blob:')) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.hidden = false;
}

function open(query: URLSearchParams): Promise<void> {
  history.pushState(null, '', `/changes/?${query}`);
  return show(query);
}

checkDays(form);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) query.set(name, String(value).trim());
  void open(query);
});
for (const preset of form.querySelectorAll<HTMLAnchorElement>('.presets a'))
  preset.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void open(new URL(preset.href).searchParams);
  });
window.addEventListener('popstate', () => void show(new URLSearchParams(location.search)));

const query = new URLSearchParams(location.search);
// The page already has the default period.
if (query.has('since') || query.has('until')) void show(query);
