import { embedPath, ownParameters, pagePath, withQuery } from '../../../pipeline/charts/chart-address.ts';
import {
  type ChartState,
  DEFAULT_STATE,
  dropRefused,
  faultOf,
  formatChartState,
  parseChartState,
  refusedView,
  stateFault,
} from '../../../pipeline/charts/chart-state.ts';
import { type DayRange, requireDays, shownDays, stateOfDays } from '../../../pipeline/charts/day-range.ts';
import { escapeText } from '../../../pipeline/charts/drawing/element.ts';
import { addCopyButton } from '../files/copy-button.ts';
import { isServed } from '../layout/live/is-served.ts';
import { offerAgain } from '../layout/load-file.ts';
import type { ChartFacts } from './chart-facts.ts';
import type { ChartTools } from './chart-tools.ts';
import { showParts, toolsLoader, VIEW_PDF } from './load-tools.ts';
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

  #all<T extends HTMLElement>(selector: string): T[] {
    return [...this.#root.querySelectorAll<T>(selector)];
  }

  #listen(): void {
    const form = this.#form;
    form.addEventListener('change', ({ target }) => this.#take(target as HTMLElement));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#take();
    });
    form.addEventListener('click', (event) => {
      const link = (event.target as HTMLElement).closest<HTMLAnchorElement>('[data-reset], [data-days]');
      if (!link) return;
      event.preventDefault();
      const { tab } = this.#shown;
      const chosen = link.dataset.days ? this.#daysOf(link) : { ...DEFAULT_STATE, tab };
      void this.#choose({ ...this.#shown, ...chosen });
    });
    for (const button of form.querySelectorAll<HTMLElement>('[type="submit"]')) button.hidden = true;
    if (navigator.clipboard)
      for (const block of this.#all('.copyable')) addCopyButton(block, navigator.clipboard);
    window.addEventListener('popstate', () => void this.#showAddress());
  }

  /** The days of a preset, as a state names them. */
  #daysOf({ dataset }: HTMLElement): Pick<ChartState, 'from' | 'to'> {
    const [from, to] = dataset.days!.split(' ') as [string, string];
    return stateOfDays(this.#range!, { from, to });
  }

  /** Takes what the form says; what the chart does not have is said beside the field. */
  #take(changed?: HTMLElement): void {
    const series = this.#all<HTMLInputElement>('[name="series"]');
    for (const place of this.#all('form [role="alert"]')) place.textContent = '';
    for (const field of this.#all('[aria-invalid]')) field.removeAttribute('aria-invalid');
    // Without a series there is nothing to show: the last one stays.
    if (series.length > 0 && !series.some(({ checked }) => checked)) {
      if (changed instanceof HTMLInputElement) changed.checked = true;
      return void sayAt(series[0]!, 'At least one series is needed.');
    }
    try {
      void this.#choose({ ...this.#stateOf(formParameters(this.#form)), tab: this.#shown.tab });
    } catch (error) {
      const { name, expected, found } = faultOf(error);
      const [field] = this.#all(`form [name="${name}"]`) as [HTMLElement];
      field.setAttribute('aria-invalid', 'true');
      sayAt(field, `Expected ${expected}, found “${found}”. The chart is unchanged.`);
    }
  }

  /** The state in an address, in its shortest form: all series, and days with which the chart ends by itself, are not named. */
  #stateOf(parameters: URLSearchParams): ChartState {
    const [series, named] = [this.#all<HTMLInputElement>('[name="series"]'), parameters.getAll('series')];
    if (named.length === series.length && series.every(({ value }) => named.includes(value)))
      parameters.delete('series');
    const state = parseChartState(this.#chart, parameters);
    const range = this.#range;
    if (!range) return state;
    requireDays(this.#chart.id, range, state);
    return { ...state, ...stateOfDays(range, shownDays(range, state)) };
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
    } catch (error) {
      // A server draws the view itself.
      if (await isServed(path).catch(() => false)) return location.assign(path);
      this.#fillForm();
      this.#offerAgain(error, () => this.#choose(state));
    }
  }

  #offerAgain(error: unknown, again: () => Promise<void>): void {
    const [place] = this.#all('[data-part="status"]') as [HTMLElement];
    offerAgain(place, error, 'The chart is unchanged.', () => void again());
  }

  /** Shows what the address asks for, or, without the parameters that are refused, the nearest view; `fault` says why. */
  async #showAddress(parameters = ownParameters(location.search), fault = ''): Promise<void> {
    try {
      const isShown = await this.#show(this.#stateOf(parameters));
      if (isShown) showParts(this.#root, { status: escapeText(fault) });
    } catch (error) {
      try {
        dropRefused(parameters, error);
      } catch {
        return this.#offerAgain(error, () => this.#showAddress(parameters, fault));
      }
      return this.#showAddress(parameters, fault || refusedView(stateFault(error)));
    }
  }

  /** Shows another state; false if a later one overtook it. Rejects, with the page unchanged, if it cannot be drawn. */
  async #show(state: ChartState): Promise<boolean> {
    this.#turn += 1;
    const turn = this.#turn;
    const isOther = this.#view(state) !== this.#view();
    const redrawn = isOther ? (await this.#tools()).redraw(state, 'page') : null;
    if (turn !== this.#turn) return false;
    const before = this.#query();
    this.#shown = state;
    if (redrawn) {
      showParts(this.#root, redrawn.parts);
      this.#readout.reset();
      document.title = `${redrawn.title} – ${this.#facts.organisation.name}`;
    }
    this.#render(before);
    for (const code of this.#all('[data-code="live"] code'))
      code.textContent = redrawn?.live ?? code.textContent;
    return true;
  }

  /** Everything beside the view itself that follows from the state; `before` is the query that the page shows. */
  #render(before: string): void {
    const query = this.#query();
    const { baseUrl, id } = this.#facts;
    this.#showTab(this.#shown.tab);
    this.#fillForm();
    showParts(this.#root, { status: '' });
    for (const code of this.#all('[data-code] code')) {
      const text = code.textContent;
      const addressOf = (query: string) =>
        text.startsWith('<iframe')
          ? escapeText(baseUrl + embedPath(id, query))
          : baseUrl + pagePath(id, query);
      code.textContent = text.replace(addressOf(before), () => addressOf(query));
    }
    for (const link of this.#all<HTMLAnchorElement>('a[data-follow]'))
      link.href = withQuery(link.dataset.follow!, query);
    // What a browser shares.
    document.head
      .querySelector('link[rel="canonical"]')
      ?.setAttribute('href', baseUrl + pagePath(id, this.#view()));
    void this.#offerDownloads(this.#shown).catch(() => {});
  }

  #fillForm(): void {
    const range = this.#range;
    const days = range && shownDays(range, this.#shown);
    const state = { ...this.#shown, ...days };
    for (const input of this.#all<HTMLInputElement>('form input[name]:not([type="hidden"])')) {
      const value = state[input.name as keyof ChartState];
      if (input.name === 'series') input.checked = state.series?.includes(input.value) ?? true;
      else if (input.type === 'radio') input.checked = input.value === value;
      else input.value = value === null ? '' : String(value);
    }
    for (const link of this.#all<HTMLAnchorElement>('.presets a')) {
      link.href = pagePath(this.#chart.id, this.#query({ ...state, ...this.#daysOf(link) }));
      if (link.dataset.days === `${days!.from} ${days!.to}`) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  }

  /**
   * A host that ignores parameters, such as a mirror, would return the default view's file for every state. There this script
   * makes the files that it can, hides the other links until the default view is shown again, and says why.
   */
  async #offerDownloads(state: ChartState): Promise<void> {
    const isDefault = this.#view(state) === '';
    const tools = (await this.#isServed(isDefault)) ? null : await this.#tools();
    if (state !== this.#shown) return;
    for (const link of tools ? this.#all<HTMLAnchorElement>('.downloads a[data-follow]') : []) {
      const path = link.dataset.follow!;
      const [type, make] = MADE_HERE[path.slice(`/charts/${this.#chart.id}`.length)] ?? [];
      const isMade = !isDefault && make !== undefined;
      if (link.href.startsWith('blob:')) URL.revokeObjectURL(link.href);
      link.closest('li')!.hidden = !isDefault && !isMade;
      link.href = isMade ? URL.createObjectURL(new Blob([make(tools!, state)], { type: type! })) : path;
      link.toggleAttribute('download', isMade);
      if (isMade) link.download = path.slice(path.lastIndexOf('/') + 1);
    }
    const onlyDefault = this.#all('[data-default-only]');
    for (const item of onlyDefault) item.hidden = !isDefault;
    const said = [...(tools ? [FILES_ONLY] : []), ...(onlyDefault.length > 0 ? [VIEW_PDF] : [])];
    showParts(this.#root, { downloads: isDefault ? '' : said.join(' ') });
  }

  /** Whether a server answers parameters; nobody asks before a view needs it. */
  #isServed(isDefault: boolean): Promise<boolean> {
    if (isDefault && !this.#hasServer) return Promise.resolve(true);
    this.#hasServer ??= isServed(pagePath(this.#chart.id, '')).catch(() => true);
    return this.#hasServer;
  }
}

/** Says something beside a field. */
function sayAt(field: HTMLElement, words: string): void {
  field.closest('fieldset, .time-control')!.querySelector('.fault')!.textContent = words;
}

/** `2025-07-05 2026-11-22 90` */
function rangeOf(text = ''): DayRange | null {
  const [first, last, opensWith] = text.split(' ');
  return first && last ? { first, last, opensWith: Number(opensWith) } : null;
}

/** The parameters of a form, without empty fields. */
function formParameters(form: HTMLFormElement): URLSearchParams {
  const given = ([...new FormData(form)] as [string, string][]).flatMap(([name, value]) =>
    value.trim() === '' ? [] : [[name, value.trim()]],
  );
  return new URLSearchParams(given);
}

new ChartPage(document.querySelector<HTMLElement>('.chart-page')!);
