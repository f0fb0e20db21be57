import { ownParameters, pagePath } from '../../../pipeline/charts/chart-address.ts';
import { type ChartState, formatChartState, parseChartState } from '../../../pipeline/charts/chart-state.ts';
import type { ChartFacts } from './chart-facts.ts';
import { showParts, toolsLoader } from './load-tools.ts';
import { Readout } from './readout.ts';

const root = document.querySelector<HTMLElement>('.chart-page')!;
const facts = JSON.parse(root.dataset.facts!) as ChartFacts;
const chart = { id: facts.id, controls: JSON.parse(root.dataset.controls!) as (keyof ChartState)[] };

/** Draws the view in the address if the host ignores parameters. */
async function showAddress(): Promise<void> {
  try {
    const state = parseChartState(chart, ownParameters(location.search));
    const query = formatChartState(chart, state);
    if (query === root.dataset.query) return;
    const tools = await toolsLoader(root.dataset.tools!, facts)();
    showParts(root, tools.redraw(state, 'embed').parts);
    readout?.reset();
    root.querySelector<HTMLAnchorElement>('[data-page]')!.href = facts.baseUrl + pagePath(facts.id, query);
    if (state.tab === 'table') root.querySelector('details')!.open = true;
    root.querySelector<HTMLElement>('.plot')?.toggleAttribute('hidden', state.tab === 'table');
  } catch {
    const status =
      'This is not the view that was asked for, which this chart does not have or which cannot be drawn now.';
    showParts(root, { status });
  }
}

const readout = root.querySelector('.plot') ? new Readout(root) : null;
tellHeight(facts.id);
// For a rejected state the server has already shown the reason.
if (root.dataset.fault === undefined) void showAddress();

/** The message to the parent page whenever the height of the embed changes. */
interface HeightMessage {
  type: 'cathedral-embed';
  /** Id of the chart. */
  chart: string;
  /** px */
  height: number;
}

/** Posts the height of this page to its parent, now and on every change. Any parent may receive it; it is not secret. */
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
