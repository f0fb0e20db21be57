import { pagePath } from '../../../../pipeline/charts/chart-address.ts';
import {
  type ChartState,
  formatChartState,
  parseChartState,
} from '../../../../pipeline/charts/chart-state.ts';
import { ownParameters } from '../../../../pipeline/charts/own-parameters.ts';
import type { ChartFacts } from './chart-facts.ts';
import { partsOf, showRedrawn, toolsLoader } from './load-tools.ts';
import { Stepper } from './stepper.ts';

const root = document.querySelector<HTMLElement>('.chart-page')!;
const facts = JSON.parse(root.dataset.facts!) as ChartFacts;
const chart = { id: facts.id, controls: JSON.parse(root.dataset.controls!) as (keyof ChartState)[] };

/** Where the host answers no parameters, the view that the address asks for is drawn here. */
async function showAddress(): Promise<void> {
  try {
    const state = parseChartState(chart, ownParameters(location.search));
    const query = formatChartState(chart, state);
    if (query === root.dataset.query) return;
    const tools = await toolsLoader(root.dataset.tools!, facts)();
    showRedrawn(root, tools.redraw(state));
    stepper?.reset();
    root.querySelector<HTMLAnchorElement>('[data-page]')!.href = facts.baseUrl + pagePath(facts.id, query);
    if (state.tab === 'table') root.querySelector('details')!.open = true;
    root.querySelector<HTMLElement>('.plot')?.toggleAttribute('hidden', state.tab === 'table');
  } catch {
    for (const element of partsOf(root, 'status'))
      element.textContent =
        'This is not the view that was asked for, which this chart does not have or which cannot be drawn now.';
  }
}

const stepper = root.querySelector('.plot') ? new Stepper(root) : null;
tellHeight(facts.id);
// What the server refused it has said.
if (root.dataset.fault === undefined) void showAddress();

/** What a page gets that has an embed in a frame, each time that the height of the embed has changed. */
interface HeightMessage {
  type: 'cathedral-embed';
  /** Id of the chart. */
  chart: string;
  /** px */
  height: number;
}

/** Tells the page around the frame how high this one is, now and whenever it changes; it holds nothing that is secret. */
function tellHeight(chart: string): void {
  if (window.parent === window) return;
  let told = 0;
  const tell = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === told) return;
    told = height;
    window.parent.postMessage({ type: 'cathedral-embed', chart, height } satisfies HeightMessage, '*');
  };
  new ResizeObserver(tell).observe(document.body);
  tell();
}
