import { showDirections } from '../../../../pipeline/artifacts/format/show-directions.ts';
import { formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { offerAgain } from '../../layout/load-file.ts';
import { makeElement, makeLink } from '../../layout/make-element.ts';
import { element, followAddress } from '../../layout/tool.ts';
import { type Found, loadEngine, type Result } from './search-engine.ts';

const AT_ONCE = 20;
/** Wait after the last key, ms, so that not every letter starts a search. */
const PAUSE = 150;

const form = element<HTMLFormElement>('#search');
const input = element<HTMLInputElement>('#q');
const radios = [...form.querySelectorAll<HTMLInputElement>('[name="kind"]')];
const status = element('#search-status');
const list = element<HTMLOListElement>('#search-results');
const more = element<HTMLButtonElement>('#search-more');

let wanted = AT_ONCE;
/** What the address asks for and the search does not have; empty: nothing. */
let unknown = '';
/** Number of the newest search. Those that waited for the index are dropped. */
let latest = 0;
let timer = 0;

const query = () => input.value.trim();
const quoted = () => `“${showDirections(query())}”`;
const kind = () => radios.find(({ checked }) => checked)?.value ?? '';

/** Runs the search in the form. */
async function run(): Promise<void> {
  latest += 1;
  const own = latest;
  if (query() === '') return clear(unknown);
  if (list.children.length === 0) status.textContent = 'Searching …';
  try {
    const engine = await loadEngine(form.dataset.folder!);
    if (own === latest) show(engine.search(query(), kind(), wanted));
  } catch (error) {
    if (own !== latest) return;
    clear('');
    offerAgain(status, error, 'The site map below leads to every list.', () => void run());
  }
}

function clear(words: string): void {
  list.replaceChildren();
  more.hidden = true;
  status.textContent = words;
  count({});
}

function show({ total, counts, results }: Found): void {
  list.replaceChildren(...results.map(resultItem));
  more.hidden = results.length >= total;
  const pages = formatCount(total, 'result');
  const part = results.length < total ? `, showing the first ${formatNumber(results.length)}` : '';
  const found = total === 0 ? `Nothing found for ${quoted()}.` : `${pages} for ${quoted()}${part}.`;
  status.textContent = `${found} ${unknown}`.trim();
  count(counts);
}

/** Shows the number of results of each kind. */
function count(counts: Readonly<Record<string, number>>): void {
  for (const { value, parentElement } of radios)
    parentElement!.querySelector('.count')!.textContent = value in counts ? formatNumber(counts[value]!) : '';
}

function resultItem({ href, title, excerpt, kind }: Result): HTMLLIElement {
  const name = radios.find(({ value }) => value === kind)?.dataset.one ?? '';
  const words = excerpt.map((text, index) => (index % 2 === 0 ? text : makeElement('mark', '', text)));
  return makeElement(
    'li',
    '',
    makeElement('p', 'label', name),
    makeElement('h2', '', makeLink(title, href)),
    makeElement('p', '', ...words),
  );
}

/** Begins a search and names it in the address. Going back leads to the search before, not through every letter. */
function begin(method: 'pushState' | 'replaceState'): void {
  clearTimeout(timer);
  unknown = '';
  wanted = AT_ONCE;
  const asked = Object.entries({ q: query(), kind: kind() }).filter(([, value]) => value !== '');
  const parameters = new URLSearchParams(asked).toString();
  const address = `${location.pathname}${parameters && `?${parameters}`}`;
  if (address !== `${location.pathname}${location.search}`) history[method](null, '', address);
  void run();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  begin('pushState');
});
input.addEventListener('focus', () => void loadEngine(form.dataset.folder!).catch(() => {}), { once: true });
input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = window.setTimeout(() => begin('replaceState'), PAUSE);
});
for (const radio of radios) radio.addEventListener('change', () => begin('pushState'));
more.addEventListener('click', async () => {
  const before = list.children.length;
  wanted += AT_ONCE;
  await run();
  list.children[before]?.querySelector('a')?.focus();
});
followAddress(() => {
  const asked = new URLSearchParams(location.search);
  input.value = (asked.get('q') ?? '').slice(0, input.maxLength);
  const given = (asked.get('kind') ?? '').slice(0, input.maxLength);
  const chosen = radios.find(({ value }) => value === given);
  (chosen ?? radios[0]!).checked = true;
  unknown = chosen ? '' : `There is no kind “${showDirections(given)}”, so the search is in everything.`;
  wanted = AT_ONCE;
  void run();
});
