import { type Found, loadEngine, type Result } from './search-engine.ts';
import { formatSearch, parseSearch, type SearchState } from './search-state.ts';

const AT_ONCE = 20;
/** Wait after the last key, ms, so that not every letter starts a search. */
const PAUSE = 150;

function found<E extends Element>(selector: string): E {
  const element = document.querySelector<E>(selector);
  if (!element) throw new Error(`The search page has no ${selector}`);
  return element;
}

const form = found<HTMLFormElement>('#search');
const input = found<HTMLInputElement>('#search [name="q"]');
const radios = [...document.querySelectorAll<HTMLInputElement>('#search [name="kind"]')];
const status = found<HTMLElement>('#search-status');
const list = found<HTMLOListElement>('#search-results');
const more = found<HTMLButtonElement>('#search-more');
const browse = found<HTMLElement>('#browse');
const folder = form.dataset.folder ?? '';

let wanted = AT_ONCE;
/** Number of the newest search. Those that waited for the index are dropped. */
let latest = 0;
let timer = 0;

function state(): SearchState {
  return { query: input.value, kind: radios.find(({ checked }) => checked)?.value ?? '' };
}

function fill({ query, kind }: SearchState): void {
  input.value = query;
  for (const radio of radios) radio.checked = radio.value === kind;
}

function fromAddress(): SearchState {
  const kinds = radios.map(({ value }) => value);
  return parseSearch(new URLSearchParams(location.search), kinds);
}

/** Runs the search in the form. `focus` moves the focus to the first new result. */
async function run({ focus = false } = {}): Promise<void> {
  const { query, kind } = state();
  latest += 1;
  const own = latest;
  if (query.trim() === '') return void clear();
  if (list.children.length === 0) status.textContent = 'Searching …';
  try {
    const engine = await loadEngine(folder);
    if (own === latest) show(engine.search(query, kind, wanted), query.trim(), focus);
  } catch {
    if (own !== latest) return;
    clear();
    status.textContent = 'The search cannot be loaded now. The lists below lead to every page.';
  }
}

function clear(): void {
  list.replaceChildren();
  more.hidden = true;
  browse.hidden = false;
  status.textContent = '';
  count({});
}

function show({ total, counts, results }: Found, query: string, focus: boolean): void {
  const before = list.children.length;
  const items = results.map((result) => resultItem(result, nameOf(result.kind)));
  list.replaceChildren(...items);
  more.hidden = results.length >= total;
  browse.hidden = total > 0;
  const pages = total === 1 ? '1 result' : `${total} results`;
  const part = results.length < total ? `, showing the first ${results.length}` : '';
  status.textContent = total === 0 ? `Nothing found for “${query}”.` : `${pages} for “${query}”${part}.`;
  count(counts);
  if (focus) list.children[before]?.querySelector('a')?.focus();
}

function nameOf(kind: string): string {
  return radios.find(({ value }) => value === kind)?.dataset.one ?? '';
}

/** Shows the number of results of each kind. */
function count(counts: Readonly<Record<string, number>>): void {
  for (const { value, parentElement } of radios) {
    const place = parentElement?.querySelector('.count');
    if (place) place.textContent = value in counts ? `${counts[value]}` : '';
  }
}

/** Updates the address. Going back leads to the previous search, not through every letter. */
function remember(method: 'pushState' | 'replaceState'): void {
  const url = `${location.pathname}${formatSearch(state())}`;
  if (url !== `${location.pathname}${location.search}`) history[method](null, '', url);
}

function begin(method: 'pushState' | 'replaceState'): void {
  clearTimeout(timer);
  wanted = AT_ONCE;
  remember(method);
  void run();
}

/** Moves the focus up or down from the field through the results. */
function step(by: number): boolean {
  const links = [...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (at < 0 && (by < 0 || document.activeElement !== input)) return false;
  const next = links[at + by] ?? (at + by < 0 ? input : undefined);
  next?.focus();
  return next !== undefined;
}

function press(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by !== undefined && step(by)) event.preventDefault();
}

fill(fromAddress());
// Hidden before the first results arrive, so that they do not push it down.
browse.hidden = state().query !== '';
form.addEventListener('submit', (event) => {
  event.preventDefault();
  begin('pushState');
});
input.addEventListener('focus', () => void loadEngine(folder).catch(() => {}), { once: true });
input.addEventListener('input', () => {
  clearTimeout(timer);
  timer = window.setTimeout(() => begin('replaceState'), PAUSE);
});
for (const radio of radios) radio.addEventListener('change', () => begin('pushState'));
more.addEventListener('click', () => {
  wanted += AT_ONCE;
  void run({ focus: true });
});
document.addEventListener('keydown', press);
addEventListener('popstate', () => {
  fill(fromAddress());
  wanted = AT_ONCE;
  void run();
});
void run();

/** An entry in the list of results. */
function resultItem({ href, title: text, excerpt }: Result, kindName: string): HTMLLIElement {
  const item = document.createElement('li');
  const kind = document.createElement('p');
  kind.className = 'label';
  kind.textContent = kindName;
  const title = document.createElement('h2');
  title.className = 'entry';
  const link = document.createElement('a');
  link.href = href;
  link.textContent = text;
  title.append(link);
  const words = document.createElement('p');
  words.append(...marked(excerpt));
  item.append(kind, title, words);
  return item;
}

/** The pieces of an excerpt, every second one marked. */
function marked(excerpt: readonly string[]): (string | HTMLElement)[] {
  return excerpt.map((text, index) => {
    if (index % 2 === 0) return text;
    const mark = document.createElement('mark');
    mark.textContent = text;
    return mark;
  });
}
