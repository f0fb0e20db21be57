import { pagePath } from '../../../../pipeline/charts/chart-address.ts';
import {
  type ChartState,
  DEFAULT_STATE,
  formatChartState,
  parseChartState,
} from '../../../../pipeline/charts/chart-state.ts';
import { ownParameters } from '../../../../pipeline/charts/own-parameters.ts';
import { addCopyButton } from '../files/copy-button.ts';
import type { ChartFacts } from './chart-facts.ts';
import { addSliders, fillForm, formParameters } from './controls-form.ts';
import { followState, replaceDownloads, setCode } from './follow-state.ts';
import { addFrozenButton } from './frozen-button.ts';
import { toolsLoader } from './load-tools.ts';
import { partsOf, showRedrawn } from './show-redrawn.ts';
import { Stepper } from './stepper.ts';
import { addTabs } from './tabs.ts';

const root = document.querySelector<HTMLElement>('.chart-page')!;
const facts = JSON.parse(root.dataset.facts!) as ChartFacts;
const chart = { id: facts.id, controls: JSON.parse(root.dataset.controls!) as (keyof ChartState)[] };
const form = root.querySelector<HTMLFormElement>('.controls');
const tools = toolsLoader(root.dataset.tools!, facts);
/** What the page shows; the build or the server drew it, or this script did. */
let shown = parseChartState(chart, new URLSearchParams(root.dataset.query));
let latest = 0;
const stepper = new Stepper(root);
const showTab = addTabs(root, (tab) => void choose({ ...shown, tab }));

const queryOf = (state: ChartState) => formatChartState(chart, state);
const isSamePicture = (one: ChartState, other: ChartState) =>
  queryOf({ ...one, tab: 'chart' }) === queryOf({ ...other, tab: 'chart' });

/** Shows another state; false where one that came meanwhile won. Rejects where it cannot be drawn: then nothing has changed. */
async function show(state: ChartState): Promise<boolean> {
  latest += 1;
  const turn = latest;
  if (!isSamePicture(shown, state)) {
    const drawing = await tools();
    const redrawn = drawing.redraw(state);
    if (turn !== latest) return false;
    showRedrawn(root, redrawn);
    stepper.reset();
    setCode(root, 'live', redrawn.live);
    document.title = `${redrawn.text.title} – Cathedral Data Service`;
  }
  followState(root, facts, queryOf(shown), queryOf(state));
  shown = state;
  showTab(state.tab);
  if (form) fillForm(form, state);
  say('');
  void offerDownloads(state).catch(() => {});
  return true;
}

async function offerDownloads(state: ChartState): Promise<void> {
  if (await isAnswered()) return;
  const drawing = await tools();
  if (state === shown) replaceDownloads(root, facts.id, drawing, state, queryOf(state) === '');
}

/** What a reader chose: the address follows, and the way back leads to what was shown before. */
async function choose(state: ChartState): Promise<void> {
  const path = pagePath(facts.id, queryOf(state));
  try {
    // A release came since the page was loaded: all of it is to be of one.
    if (!isSamePicture(shown, state) && (await tools()).asOf !== root.dataset.asOf)
      return location.assign(path);
    const isShown = await show(state);
    if (isShown && queryOf(state) !== new URLSearchParams(location.search).toString())
      history.pushState(null, '', path);
  } catch {
    // Whatever it was: the server can draw it too.
    location.assign(path);
  }
}

function say(words: string): void {
  for (const element of partsOf(root, 'status')) element.textContent = words;
}

let answered: Promise<boolean> | null = null;
/** Whether a server is there that answers to parameters; a host of files alone has no name for a request. */
function isAnswered(): Promise<boolean> {
  if (queryOf(shown) === '' && answered === null) return Promise.resolve(true);
  answered ??= fetch(pagePath(facts.id, ''), { method: 'HEAD' }).then(
    ({ headers }) => headers.has('X-Request-Id'),
    () => true,
  );
  return answered;
}

/** An address that a form made has empty fields in it, and all series where none was left out. */
function addressState(): ChartState {
  const state = parseChartState(chart, ownParameters(location.search));
  const boxes = form?.querySelectorAll('[name="series"]').length;
  return state.series?.length === boxes ? { ...state, series: null } : state;
}

async function showAddress(): Promise<void> {
  try {
    await show(addressState());
  } catch {
    say(
      'The address asks for a view that this chart does not have, or that cannot be drawn now. This is the view it opens with.',
    );
  }
}

function listen(controls: HTMLFormElement): void {
  const chosen = (): ChartState | null => {
    try {
      return { ...parseChartState(chart, formParameters(controls)), tab: shown.tab };
    } catch {
      return null;
    }
  };
  const take = () => {
    const state = chosen();
    if (state) void choose(state);
    else controls.reportValidity();
  };
  addSliders(controls);
  controls.addEventListener('change', take);
  controls.addEventListener('submit', (event) => {
    event.preventDefault();
    take();
  });
  // While a slider moves the picture follows; the address does when it stands.
  controls.addEventListener('input', ({ target }) => {
    const state = (target as HTMLInputElement).type === 'range' ? chosen() : null;
    if (state) void show(state).catch(() => {});
  });
  controls.querySelector('[data-reset]')!.addEventListener('click', (event) => {
    event.preventDefault();
    void choose({ ...DEFAULT_STATE, tab: shown.tab });
  });
  controls.querySelector<HTMLElement>('[type="submit"]')!.hidden = true;
}

showTab(shown.tab);
if (form) listen(form);
if (navigator.clipboard) {
  for (const block of root.querySelectorAll<HTMLElement>('.copyable'))
    addCopyButton(block, navigator.clipboard);
  addFrozenButton(root, async () => (await tools()).frozen(shown), navigator.clipboard);
}
window.addEventListener('popstate', () => void showAddress());
// What the server refused it has said.
if (root.dataset.fault === undefined && ownParameters(location.search).toString() !== queryOf(shown))
  void showAddress();
