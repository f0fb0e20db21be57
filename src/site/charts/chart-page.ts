import { embedPath, ownParameters, pagePath, withQuery } from '../../../pipeline/charts/chart-address.ts';
import {
  type ChartState,
  DEFAULT_STATE,
  formatChartState,
  parseChartState,
  refusedView,
  stateFault,
} from '../../../pipeline/charts/chart-state.ts';
import { type DayRange, requireDays, shownDays, stateOfDays } from '../../../pipeline/charts/day-range.ts';
import { escapeText } from '../../../pipeline/charts/drawing/element.ts';
import { addCopyButton } from '../files/copy-button.ts';
import { dayFault } from '../layout/day-field.ts';
import { Brush } from './brush.ts';
import type { ChartFacts } from './chart-facts.ts';
import type { ChartTools } from './chart-tools.ts';
import { partsOf, showRedrawn, toolsLoader, VIEW_PDF } from './load-tools.ts';
import { Stepper } from './stepper.ts';

/** Updates every link and code that contains the chart's address from the parameters `before` to `query`. */
function followState(root: HTMLElement, facts: ChartFacts, before: string, query: string): void {
  const { baseUrl, id } = facts;
  const [old, url] = [before, query].map((parameters) => baseUrl + pagePath(id, parameters)) as [
    string,
    string,
  ];
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[data-follow]'))
    link.href = withQuery(link.dataset.follow!, query);
  setCode(root, 'link', url);
  const [frame, newFrame] = [before, query].map((parameters) =>
    escapeText(baseUrl + embedPath(id, parameters)),
  ) as [string, string];
  for (const code of root.querySelectorAll('[data-code="live"] code'))
    code.textContent = code.textContent!.replace(`"${frame}"`, `"${newFrame}"`);
  for (const code of root.querySelectorAll('[data-code="citation"] code'))
    code.textContent = replaceEnd(code.textContent!, old, url);
}

/**
 * Tells whoever shares this page from the browser what it shows: `canonical`, and the address of previews. Programs that fetch the page
 * see what the server wrote. Both tabs are in the page and share an address.
 */
function followAddress({ baseUrl, id, organisation }: ChartFacts, query: string): void {
  const address = baseUrl + pagePath(id, query);
  document.querySelector<HTMLLinkElement>('link[rel="canonical"]')?.setAttribute('href', address);
  document.querySelector('meta[property="og:url"]')?.setAttribute('content', address);
  document
    .querySelector('meta[property="og:title"]')
    ?.setAttribute('content', document.title.slice(0, -` – ${organisation.name}`.length));
  const robots = document.querySelector('meta[name="robots"]');
  if (query === '') robots?.remove();
  else if (!robots) {
    const meta = document.createElement('meta');
    meta.name = 'robots';
    meta.content = 'noindex';
    document.head.append(meta);
  }
}

function setCode(root: HTMLElement, name: string, text: string): void {
  for (const code of root.querySelectorAll(`[data-code="${name}"] code`)) code.textContent = text;
}

/** A citation contains the address once. The default state's address is a prefix of all others. */
function replaceEnd(text: string, old: string, url: string): string {
  const at = text.lastIndexOf(old);
  return at < 0 ? text : text.slice(0, at) + url + text.slice(at + old.length);
}

/** Formats that the browser can produce. */
const MADE_HERE = {
  '.svg': { type: 'image/svg+xml', make: (tools: ChartTools, state: ChartState) => tools.svg(state) },
  '.csv': { type: 'text/csv', make: (tools: ChartTools, state: ChartState) => tools.csv(state) },
} as const;

/**
 * A host that ignores parameters, such as a mirror, would return the default view's file for every state. So this script
 * creates the files that it can, and hides the other links until the default view is shown again.
 */
function replaceDownloads(
  root: HTMLElement,
  id: string,
  tools: ChartTools,
  state: ChartState,
  isDefault: boolean,
): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('.downloads a[data-follow]')) {
    const path = link.dataset.follow!;
    const own = Object.entries(MADE_HERE).find(([ending]) => path === `/charts/${id}${ending}`)?.[1];
    if (link.href.startsWith('blob:')) URL.revokeObjectURL(link.href);
    link.closest('li')!.hidden = !isDefault && own === undefined;
    link.href =
      isDefault || !own ? path : URL.createObjectURL(new Blob([own.make(tools, state)], { type: own.type }));
    link.download = link.href.startsWith('blob:') ? path.slice(path.lastIndexOf('/') + 1) : '';
    if (link.download === '') link.removeAttribute('download');
  }
}

const root = document.querySelector<HTMLElement>('.chart-page')!;
const facts = JSON.parse(root.dataset.facts!) as ChartFacts;
const chart = { id: facts.id, controls: JSON.parse(root.dataset.controls!) as (keyof ChartState)[] };
const form = root.querySelector<HTMLFormElement>('form')!;
const range = rangeOf(root.dataset.range);
const tools = toolsLoader(root.dataset.tools!, facts);
/** The state that the page shows, whether the build, the server or this script drew it. */
let shown = parseChartState(chart, new URLSearchParams(root.dataset.query));
let latest = 0;
const stepper = new Stepper(root);
const showTab = addTabs(root, (tab) => void choose({ ...shown, tab }));

const queryOf = (state: ChartState) => formatChartState(chart, state);
const isSamePicture = (one: ChartState, other: ChartState) =>
  queryOf({ ...one, tab: 'chart' }) === queryOf({ ...other, tab: 'chart' });

/** Shows another state; false if a later one overtook it. Rejects, with the page unchanged, if it cannot be drawn. */
async function show(state: ChartState): Promise<boolean> {
  latest += 1;
  const turn = latest;
  if (!isSamePicture(shown, state)) {
    const drawing = await tools();
    const redrawn = drawing.redraw(state, { withoutList: true });
    if (turn !== latest) return false;
    showRedrawn(root, redrawn);
    stepper.reset();
    setCode(root, 'live', redrawn.live);
    document.title = `${redrawn.text.title} – ${facts.organisation.name}`;
  }
  followState(root, facts, queryOf(shown), queryOf(state));
  followAddress(facts, queryOf({ ...state, tab: 'chart' }));
  shown = state;
  showTab(state.tab);
  fillForm(form, state);
  showDays(state);
  say('');
  void offerDownloads(state).catch(() => {});
  return true;
}

async function offerDownloads(state: ChartState): Promise<void> {
  const isDefault = queryOf({ ...state, tab: 'chart' }) === '';
  const isDrawn = await isAnswered();
  const drawing = isDrawn ? null : await tools();
  if (state !== shown) return;
  if (drawing) replaceDownloads(root, facts.id, drawing, state, isDefault);
  explainDownloads(drawing ? FILES_ONLY : '', isDefault);
}

const FILES_ONLY =
  'This host has files of the chart as it opens only. Your browser makes SVG and CSV of this view; for PNG and JSON, open the address of this view, below, at the service itself.';

/** Says why files are missing from the list, so that none vanishes unexplained, and hides what is of the default view only. */
function explainDownloads(words: string, isDefault: boolean): void {
  const list = root.querySelector('.downloads');
  const hasPdf = list?.querySelector('[data-default-only]');
  const said = isDefault ? '' : [words, hasPdf ? VIEW_PDF : ''].join(' ').trim();
  for (const place of list ? partsOf(root, 'downloads') : []) {
    place.textContent = said;
    place.hidden = said === '';
  }
  for (const item of root.querySelectorAll<HTMLElement>('[data-default-only]')) item.hidden = !isDefault;
}

/** Applies a reader's choice and adds it to the browser's history. */
async function choose(state: ChartState): Promise<void> {
  const path = pagePath(facts.id, queryOf(state));
  try {
    // A new release appeared since the page was loaded. Reload, so that the whole page is of one release.
    if (!isSamePicture(shown, state) && (await tools()).asOf !== root.dataset.asOf)
      return location.assign(path);
    const isShown = await show(state);
    if (isShown && queryOf(state) !== new URLSearchParams(location.search).toString())
      history.pushState(null, '', path);
  } catch {
    // Let the server draw the view instead.
    location.assign(path);
  }
}

function say(words: string): void {
  for (const element of partsOf(root, 'status')) element.textContent = words;
}

let answered: Promise<boolean> | null = null;
/** Whether a server answers parameters. A static host sends no request id. */
function isAnswered(): Promise<boolean> {
  if (queryOf(shown) === '' && answered === null) return Promise.resolve(true);
  answered ??= fetch(pagePath(facts.id, ''), { method: 'HEAD' }).then(
    ({ headers }) => headers.has('X-Request-Id'),
    () => true,
  );
  return answered;
}

/** The state in the address. One submitted by the form can have empty fields, and lists all series if all are checked. */
function addressState(): ChartState {
  const state = parseChartState(chart, ownParameters(location.search));
  if (range) requireDays(chart.id, range, state);
  const boxes = form.querySelectorAll('[name="series"]').length;
  return state.series?.length === boxes ? { ...state, series: null } : state;
}

async function showAddress(): Promise<void> {
  try {
    await show(addressState());
  } catch (error) {
    say(faultWords(error));
  }
}

function faultWords(error: unknown): string {
  try {
    return refusedView(stateFault(error));
  } catch {
    return 'The view that the address asks for cannot be drawn now. This is the view it opens with.';
  }
}

function listen(controls: HTMLFormElement): void {
  const chosen = (): ChartState | null => {
    try {
      const state = { ...parseChartState(chart, formParameters(controls)), tab: shown.tab };
      return range ? { ...state, ...stateOfDays(range, shownDays(range, state)) } : state;
    } catch {
      return null;
    }
  };
  const take = (target?: EventTarget | null) => {
    if (!keepsSeries(target) || !hasRightDays()) return;
    const state = chosen();
    if (state) void choose(state);
    else controls.reportValidity();
  };
  addSliders(controls);
  controls.addEventListener('change', ({ target }) => take(target));
  controls.addEventListener('submit', (event) => {
    event.preventDefault();
    take();
  });
  // The picture follows a moving slider; the address changes when it is released.
  controls.addEventListener('input', ({ target }) => {
    const state = (target as HTMLInputElement).type === 'range' ? chosen() : null;
    if (state) void show(state).catch(() => {});
  });
  controls.querySelector('[data-reset]')?.addEventListener('click', (event) => {
    event.preventDefault();
    void choose({ ...DEFAULT_STATE, tab: shown.tab });
  });
  for (const button of controls.querySelectorAll<HTMLElement>('[type="submit"]')) button.hidden = true;
}

/** Without a series there is nothing to show: the last one stays. */
function keepsSeries(target: EventTarget | null | undefined): boolean {
  const boxes = [...form.querySelectorAll<HTMLInputElement>('[name="series"]')];
  const isEmpty = boxes.length > 0 && !boxes.some(({ checked }) => checked);
  if (isEmpty && target instanceof HTMLInputElement) target.checked = true;
  const place = document.getElementById('series-fault');
  if (place) place.textContent = isEmpty ? 'At least one series is needed.' : '';
  return !isEmpty;
}

/** Says below the days what is wrong with them. */
function hasRightDays(): boolean {
  const fields = [...form.querySelectorAll<HTMLInputElement>('.day-field')];
  const faults: string[] = fields.map(dayFault);
  const [from = '', to = ''] = fields.map(({ value }) => value.trim());
  if (faults.join('') === '' && from !== '' && to !== '' && from > to)
    faults[1] = `${to} is before ${from}. The data are from ${range!.first} to ${range!.last}.`;
  for (const [index, field] of fields.entries()) {
    field.toggleAttribute('aria-invalid', false);
    if (faults[index] !== '') field.setAttribute('aria-invalid', 'true');
  }
  const place = document.getElementById('days-fault');
  const [fault = ''] = faults.filter((words) => words !== '');
  if (place) place.textContent = fault === '' ? '' : `${fault} The chart is unchanged.`;
  return fault === '';
}

/** Adds the handles to the picture of all days, and makes the presets part of this page. */
function addBrush(days: DayRange): Brush {
  const apply = (chosen: { from: string; to: string }) => choose({ ...shown, ...stateOfDays(days, chosen) });
  for (const link of root.querySelectorAll<HTMLAnchorElement>('.presets a'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      void apply(daysOf(link.dataset.days!));
    });
  const place = root.querySelector<HTMLElement>('.brush')!;
  return new Brush(place, days, shownDays(days, shown), (chosen, isChosen) => {
    fillDays(chosen);
    if (isChosen) void apply(chosen);
  });
}

function showDays(state: ChartState): void {
  if (!range) return;
  const days = shownDays(range, state);
  brush?.show(days);
  fillDays(days);
  hasRightDays();
  for (const link of root.querySelectorAll<HTMLAnchorElement>('.presets a')) {
    link.href = pagePath(facts.id, queryOf({ ...state, ...stateOfDays(range, daysOf(link.dataset.days!)) }));
    if (link.dataset.days === `${days.from} ${days.to}`) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

function fillDays(days: { from: string; to: string }): void {
  for (const field of form.querySelectorAll<HTMLInputElement>('.day-field'))
    field.value = days[field.name as 'from' | 'to'];
}

function daysOf(text: string): { from: string; to: string } {
  const [from, to] = text.split(' ') as [string, string];
  return { from, to };
}

/** `2025-07-05 2026-11-22 90` */
function rangeOf(text: string | undefined): DayRange | null {
  const [first, last, opensWith] = text?.split(' ') ?? [];
  return first && last ? { first, last, opensWith: Number(opensWith) } : null;
}

const brush = range && addBrush(range);
showTab(shown.tab);
listen(form);
if (navigator.clipboard) {
  for (const block of root.querySelectorAll<HTMLElement>('.copyable'))
    addCopyButton(block, navigator.clipboard);
}
window.addEventListener('popstate', () => void showAddress());
// For a rejected state the server has already shown the reason.
if (root.dataset.fault === undefined && ownParameters(location.search).toString() !== queryOf(shown))
  void showAddress();

/** The parameters of a form, without empty fields, and without series if all of them are checked. */
function formParameters(form: HTMLFormElement): URLSearchParams {
  const given = ([...new FormData(form)] as [string, string][]).flatMap(([name, value]) =>
    value.trim() === '' ? [] : [[name, value.trim()]],
  );
  const boxes = [...form.querySelectorAll<HTMLInputElement>('[name="series"]')];
  const isAll = boxes.every(({ checked }) => checked);
  return new URLSearchParams(given.filter(([name]) => name !== 'tab' && !(isAll && name === 'series')));
}

/** Sets the fields to a state, for example after a step back in the history. */
function fillForm(form: HTMLFormElement, state: ChartState): void {
  for (const input of form.querySelectorAll<HTMLInputElement>(
    'input[name]:not([type="hidden"], .day-field)',
  )) {
    const value = state[input.name as keyof ChartState];
    if (input.name === 'series') input.checked = state.series === null || state.series.includes(input.value);
    else if (input.type === 'radio') input.checked = input.value === value;
    else input.value = value === null ? '' : String(value);
    for (const slider of slidersOf(input)) slider.value = input.value || slider.dataset.start!;
  }
}

/** Adds a slider to each number field and keeps the two in step. */
function addSliders(form: HTMLFormElement): void {
  for (const input of form.querySelectorAll<HTMLInputElement>('input[type="number"]')) {
    const slider = document.createElement('input');
    slider.type = 'range';
    for (const name of ['min', 'max', 'step'] as const) slider[name] = input[name];
    slider.dataset.start = input.dataset.start!;
    slider.value = input.value || input.dataset.start!;
    slider.setAttribute('aria-label', input.labels?.[0]?.textContent?.trim() ?? '');
    slider.addEventListener('input', () => {
      input.value = slider.value;
    });
    input.addEventListener('input', () => {
      slider.value = input.value;
    });
    input.closest('label')!.after(slider);
  }
}

function slidersOf(input: HTMLInputElement): HTMLInputElement[] {
  const next = input.closest('label')?.nextElementSibling;
  return next instanceof HTMLInputElement && next.type === 'range' ? [next] : [];
}

type Tab = 'chart' | 'table';

/**
 * Turns the two links into tabs. Without this script both panels are visible and the links jump to them. Calls `choose` when
 * a reader selects a tab, and returns the function that shows one.
 */
function addTabs(root: HTMLElement, choose: (tab: Tab) => void): (tab: Tab) => void {
  const list = root.querySelector<HTMLElement>('.tabs')!;
  const links = [...list.querySelectorAll<HTMLAnchorElement>('a')];
  const nameOf = (link: HTMLAnchorElement) => link.hash.slice(1) as Tab;
  list.setAttribute('role', 'tablist');
  for (const link of links) {
    link.parentElement!.setAttribute('role', 'presentation');
    link.setAttribute('role', 'tab');
    link.setAttribute('aria-controls', nameOf(link));
    link.id = `tab-${nameOf(link)}`;
    const panel = document.getElementById(nameOf(link))!;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', link.id);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      choose(nameOf(link));
    });
  }
  list.addEventListener('keydown', (event) => {
    if (event.key === ' ') (event.target as HTMLElement).click();
    else if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    if (event.key === ' ') return;
    const other = links.find((link) => link.getAttribute('aria-selected') === 'false')!;
    other.focus();
    choose(nameOf(other));
  });
  return (tab) => {
    root.dataset.tab = tab;
    for (const link of links) {
      const isChosen = nameOf(link) === tab;
      link.setAttribute('aria-selected', String(isChosen));
      link.tabIndex = isChosen ? 0 : -1;
      document.getElementById(nameOf(link))!.classList.toggle('not-chosen', !isChosen);
    }
  };
}
