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
import type { ChartFacts } from './chart-facts.ts';
import type { ChartTools } from './chart-tools.ts';
import { partsOf, showRedrawn, toolsLoader, VIEW_PDF } from './load-tools.ts';
import { Readout } from './readout.ts';
import { addTabs, type Tab } from './tabs.ts';

/** Formats that the browser can make. */
const MADE_HERE: Readonly<
  Record<string, [type: string, make: (tools: ChartTools, state: ChartState) => string]>
> = {
  '.svg': ['image/svg+xml', (tools, state) => tools.svg(state)],
  '.csv': ['text/csv', (tools, state) => tools.csv(state)],
};

const FILES_ONLY =
  'This host has files of the chart as it opens only. Your browser makes SVG and CSV of this view; for PNG and JSON, open the address of this view, below, at the service itself.';

/** The page of a chart. All that it shows follows from one state, which is that of the address. */
class ChartPage {
  readonly #root: HTMLElement;
  readonly #facts: ChartFacts;
  readonly #chart: { id: string; controls: (keyof ChartState)[] };
  readonly #form: HTMLFormElement;
  /** The days that have data; null for a chart without such a choice. */
  readonly #range: DayRange | null;
  readonly #tools: () => Promise<ChartTools>;
  readonly #readout: Readout;
  readonly #showTab: (tab: Tab) => void;
  /** What the page shows, whether the build, the server or this script drew it. */
  #shown: ChartState;
  #turn = 0;
  #hasServer: Promise<boolean> | null = null;

  constructor(root: HTMLElement) {
    const { facts, controls, range, tools, query, fault } = root.dataset;
    this.#root = root;
    this.#facts = JSON.parse(facts!) as ChartFacts;
    this.#chart = { id: this.#facts.id, controls: JSON.parse(controls!) as (keyof ChartState)[] };
    this.#form = root.querySelector('form')!;
    this.#range = rangeOf(range);
    this.#tools = toolsLoader(tools!, this.#facts);
    this.#readout = new Readout(root);
    this.#shown = parseChartState(this.#chart, new URLSearchParams(query));
    this.#showTab = addTabs(root, (tab) => void this.#choose({ ...this.#shown, tab }));
    this.#showTab(this.#shown.tab);
    this.#listen();
    // For a rejected state the server has already shown the reason.
    if (fault === undefined && ownParameters(location.search).toString() !== this.#query())
      void this.#showAddress();
  }

  #query(state = this.#shown): string {
    return formatChartState(this.#chart, state);
  }

  /** Both tabs have the same picture. */
  #view(state = this.#shown): string {
    return this.#query({ ...state, tab: 'chart' });
  }

  #listen(): void {
    const form = this.#form;
    form.addEventListener('change', ({ target }) => this.#take(target));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#take(null);
    });
    form.querySelector('[data-reset]')?.addEventListener('click', (event) => {
      event.preventDefault();
      void this.#choose({ ...DEFAULT_STATE, tab: this.#shown.tab });
    });
    for (const link of form.querySelectorAll<HTMLAnchorElement>('.presets a'))
      link.addEventListener('click', (event) => {
        event.preventDefault();
        void this.#choose({ ...this.#shown, ...stateOfDays(this.#range!, daysOf(link)) });
      });
    for (const button of form.querySelectorAll<HTMLElement>('[type="submit"]')) button.hidden = true;
    if (navigator.clipboard)
      for (const block of this.#root.querySelectorAll<HTMLElement>('.copyable'))
        addCopyButton(block, navigator.clipboard);
    window.addEventListener('popstate', () => void this.#showAddress());
  }

  /** Takes what the form says, if it says something that the chart has. */
  #take(target: EventTarget | null): void {
    if (!this.#keepsSeries(target) || !this.#hasRightDays()) return;
    try {
      const state = { ...parseChartState(this.#chart, formParameters(this.#form)), tab: this.#shown.tab };
      const range = this.#range;
      void this.#choose(range ? { ...state, ...stateOfDays(range, shownDays(range, state)) } : state);
    } catch {
      this.#form.reportValidity();
    }
  }

  /** Applies a reader's choice and adds it to the browser's history. */
  async #choose(state: ChartState): Promise<void> {
    const path = pagePath(this.#chart.id, this.#query(state));
    try {
      const isNewer =
        this.#view(state) !== this.#view() && (await this.#tools()).asOf !== this.#root.dataset.asOf;
      // A new release appeared since the page was loaded. Reload, so that the whole page is of one release.
      if (isNewer) return location.assign(path);
      const isShown = await this.#show(state);
      if (isShown && this.#query(state) !== new URLSearchParams(location.search).toString())
        history.pushState(null, '', path);
    } catch {
      // Let the server draw the view instead.
      location.assign(path);
    }
  }

  /** Shows the state in the address. A form that was sent can have empty fields, and lists all series if all are checked. */
  async #showAddress(): Promise<void> {
    try {
      const state = parseChartState(this.#chart, ownParameters(location.search));
      if (this.#range) requireDays(this.#chart.id, this.#range, state);
      const isAll = state.series?.length === this.#form.querySelectorAll('[name="series"]').length;
      await this.#show(isAll ? { ...state, series: null } : state);
    } catch (error) {
      this.#say(faultWords(error));
    }
  }

  /** Shows another state; false if a later one overtook it. Rejects, with the page unchanged, if it cannot be drawn. */
  async #show(state: ChartState): Promise<boolean> {
    this.#turn += 1;
    const turn = this.#turn;
    const isOther = this.#view(state) !== this.#view();
    const redrawn = isOther ? (await this.#tools()).redraw(state, 'page') : null;
    if (turn !== this.#turn) return false;
    if (redrawn) {
      showRedrawn(this.#root, redrawn);
      this.#readout.reset();
      document.title = `${redrawn.text.title} – ${this.#facts.organisation.name}`;
    }
    const before = this.#query();
    this.#shown = state;
    this.#render(before);
    for (const code of this.#root.querySelectorAll('[data-code="live"] code'))
      code.textContent = redrawn?.live ?? code.textContent;
    return true;
  }

  /** Everything beside the view itself that follows from the state; `before` is the query that the page shows. */
  #render(before: string): void {
    const query = this.#query();
    this.#showTab(this.#shown.tab);
    this.#fillForm();
    this.#say('');
    for (const code of this.#root.querySelectorAll('[data-code] code')) {
      const text = code.textContent!;
      const addressOf = (query: string) => this.#addressIn(text, query);
      code.textContent = text.replace(addressOf(before), () => addressOf(query));
    }
    for (const link of this.#root.querySelectorAll<HTMLAnchorElement>('a[data-follow]'))
      link.href = withQuery(link.dataset.follow!, query);
    tellAddress(this.#facts, this.#view());
    void this.#offerDownloads(this.#shown).catch(() => {});
  }

  /** The address of a view, as a code has it: that of a frame, or of this page. */
  #addressIn(code: string, query: string): string {
    const { baseUrl, id } = this.#facts;
    return code.startsWith('<iframe')
      ? escapeText(baseUrl + embedPath(id, query))
      : baseUrl + pagePath(id, query);
  }

  #fillForm(): void {
    const state = this.#shown;
    for (const input of this.#form.querySelectorAll<HTMLInputElement>(
      'input[name]:not([type="hidden"], .day-field)',
    )) {
      const value = state[input.name as keyof ChartState];
      if (input.name === 'series')
        input.checked = state.series === null || state.series.includes(input.value);
      else if (input.type === 'radio') input.checked = input.value === value;
      else input.value = value === null ? '' : String(value);
    }
    const range = this.#range;
    if (!range) return;
    const days = shownDays(range, state);
    for (const field of this.#dayFields()) field.value = days[field.name as 'from' | 'to'];
    this.#hasRightDays();
    for (const link of this.#form.querySelectorAll<HTMLAnchorElement>('.presets a')) {
      link.href = pagePath(this.#chart.id, this.#query({ ...state, ...stateOfDays(range, daysOf(link)) }));
      if (link.dataset.days === `${days.from} ${days.to}`) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }

  #dayFields(): HTMLInputElement[] {
    return [...this.#form.querySelectorAll<HTMLInputElement>('.day-field')];
  }

  /** Without a series there is nothing to show: the last one stays. */
  #keepsSeries(target: EventTarget | null): boolean {
    const boxes = [...this.#form.querySelectorAll<HTMLInputElement>('[name="series"]')];
    const isEmpty = boxes.length > 0 && !boxes.some(({ checked }) => checked);
    if (isEmpty && target instanceof HTMLInputElement) target.checked = true;
    const place = document.getElementById('series-fault');
    if (place) place.textContent = isEmpty ? 'At least one series is needed.' : '';
    return !isEmpty;
  }

  /** Says below the days what is wrong with them. */
  #hasRightDays(): boolean {
    const fields = this.#dayFields();
    const faults = fields.map(dayFault);
    const [from = '', to = ''] = fields.map(({ value }) => value.trim());
    if (faults.join('') === '' && from !== '' && to !== '' && from > to)
      faults[1] = `${to} is before ${from}. The data are from ${this.#range!.first} to ${this.#range!.last}.`;
    for (const [index, field] of fields.entries()) {
      if (faults[index] === '') field.removeAttribute('aria-invalid');
      else field.setAttribute('aria-invalid', 'true');
    }
    const fault = faults.find((words) => words !== '') ?? '';
    const place = document.getElementById('days-fault');
    if (place) place.textContent = fault === '' ? '' : `${fault} The chart is unchanged.`;
    return fault === '';
  }

  #say(words: string): void {
    for (const element of partsOf(this.#root, 'status')) element.textContent = words;
  }

  /**
   * A host that ignores parameters, such as a mirror, would return the default view's file for every state. There this script
   * makes the files that it can, hides the other links until the default view is shown again, and says why.
   */
  async #offerDownloads(state: ChartState): Promise<void> {
    const isDefault = this.#view(state) === '';
    const tools = (await this.#isServed(isDefault)) ? null : await this.#tools();
    const list = this.#root.querySelector('.downloads');
    if (state !== this.#shown || !list) return;
    for (const link of list.querySelectorAll<HTMLAnchorElement>('a[data-follow]')) {
      if (!tools) continue;
      const path = link.dataset.follow!;
      const [type, make] = MADE_HERE[path.slice(`/charts/${this.#chart.id}`.length)] ?? [];
      if (link.href.startsWith('blob:')) URL.revokeObjectURL(link.href);
      link.closest('li')!.hidden = !isDefault && !make;
      link.href =
        isDefault || !make ? path : URL.createObjectURL(new Blob([make(tools, state)], { type: type! }));
      if (link.href.startsWith('blob:')) link.download = path.slice(path.lastIndexOf('/') + 1);
      else link.removeAttribute('download');
    }
    const said = [
      ...(tools ? [FILES_ONLY] : []),
      ...(list.querySelector('[data-default-only]') ? [VIEW_PDF] : []),
    ];
    for (const place of partsOf(this.#root, 'downloads')) {
      place.textContent = isDefault ? '' : said.join(' ');
      place.hidden = place.textContent === '';
    }
    for (const item of this.#root.querySelectorAll<HTMLElement>('[data-default-only]'))
      item.hidden = !isDefault;
  }

  /** Whether a server answers parameters. A static host sends no request id; nobody asks before a view needs it. */
  #isServed(isDefault: boolean): Promise<boolean> {
    if (isDefault && !this.#hasServer) return Promise.resolve(true);
    this.#hasServer ??= fetch(pagePath(this.#chart.id, ''), { method: 'HEAD' }).then(
      ({ headers }) => headers.has('X-Request-Id'),
      () => true,
    );
    return this.#hasServer;
  }
}

/**
 * Tells whoever shares this page from the browser what it shows: `canonical`, and the address of previews. Programs that fetch the page
 * see what the server wrote.
 */
function tellAddress({ baseUrl, id, organisation }: ChartFacts, view: string): void {
  const address = baseUrl + pagePath(id, view);
  const meta = (selector: string) => document.head.querySelector(selector);
  meta('link[rel="canonical"]')?.setAttribute('href', address);
  meta('meta[property="og:url"]')?.setAttribute('content', address);
  const title = document.title.slice(0, -` – ${organisation.name}`.length);
  meta('meta[property="og:title"]')?.setAttribute('content', title);
  const robots = meta('meta[name="robots"]');
  if (view === '') robots?.remove();
  else if (!robots) {
    const added = document.createElement('meta');
    added.name = 'robots';
    added.content = 'noindex';
    document.head.append(added);
  }
}

function faultWords(error: unknown): string {
  try {
    return refusedView(stateFault(error));
  } catch {
    return 'The view that the address asks for cannot be drawn now. This is the view it opens with.';
  }
}

const daysOf = ({ dataset }: HTMLElement) => {
  const [from, to] = dataset.days!.split(' ') as [string, string];
  return { from, to };
};

/** `2025-07-05 2026-11-22 90` */
function rangeOf(text = ''): DayRange | null {
  const [first, last, opensWith] = text.split(' ');
  return first && last ? { first, last, opensWith: Number(opensWith) } : null;
}

/** The parameters of a form, without empty fields, and without series if all of them are checked. */
function formParameters(form: HTMLFormElement): URLSearchParams {
  const given = ([...new FormData(form)] as [string, string][]).flatMap(([name, value]) =>
    value.trim() === '' ? [] : [[name, value.trim()]],
  );
  const parameters = new URLSearchParams(given);
  if (parameters.getAll('series').length === form.querySelectorAll('[name="series"]').length)
    parameters.delete('series');
  return parameters;
}

new ChartPage(document.querySelector<HTMLElement>('.chart-page')!);
