import { pagePath } from '../../../../pipeline/charts/chart-address.ts';
import { DEFAULT_STATE } from '../../../../pipeline/charts/chart-state.ts';
import type { ChartFacts } from '../charts/chart-facts.ts';
import { partsOf, toolsLoader } from '../charts/load-tools.ts';
import { askedPair, comparePath, comparisonHtml, type Subject } from './compare-pair.ts';

interface Chart {
  section: HTMLElement;
  kind: string;
  id: string;
  offered: readonly string[];
  open: ReturnType<typeof toolsLoader>;
}

function chartOf(section: HTMLElement, script: string): Chart {
  const { kind, chart, offered, facts } = section.dataset as Record<string, string>;
  const open = toolsLoader(script, JSON.parse(facts!) as ChartFacts);
  return { section, kind: kind!, id: chart!, offered: JSON.parse(offered!) as string[], open };
}

/** Draws the series of the pair, or hides the chart if it has none for them. False if it cannot be drawn now. */
async function drawChart(
  { section, kind, id, offered, open }: Chart,
  pair: readonly Subject[],
): Promise<boolean> {
  const series = pair
    .map((one) => one.id)
    .filter((name) => offered.includes(name))
    .sort();
  section.hidden = true;
  if (pair[0]!.kind !== kind || series.length === 0) return true;
  try {
    const { text, html } = (await open()).redraw({ ...DEFAULT_STATE, series });
    // Another pair may have been chosen meanwhile.
    if (shown !== pair) return true;
    for (const name of ['unit', 'source'] as const) partsOf(section, name)[0]!.textContent = text[name];
    for (const name of ['picture', 'summary'] as const) partsOf(section, name)[0]!.innerHTML = html[name];
    const query = new URLSearchParams(series.map((name) => ['series', name]));
    section.querySelector('a')!.href = pagePath(id, String(query));
    section.hidden = false;
    return true;
  } catch {
    return false;
  }
}

const root = document.querySelector<HTMLElement>('.compare');
let shown: readonly Subject[] | null = null;

function listen(root: HTMLElement): void {
  const subjects = JSON.parse(root.dataset.subjects!) as Subject[];
  const form = root.querySelector('form')!;
  const selects = [...form.querySelectorAll('select')];
  const charts = [...root.querySelectorAll<HTMLElement>('.compare-chart')].map((section) =>
    chartOf(section, root.dataset.tools!),
  );
  const say = (words: string) => {
    partsOf(root, 'fault')[0]!.textContent = words;
  };
  /** Keeps what is shown if the names are no pair. */
  const show = async (a: string, b: string): Promise<boolean> => {
    const asked = askedPair(subjects, a, b);
    if ('fault' in asked) {
      say(asked.fault);
      return false;
    }
    say('');
    const { pair } = asked;
    shown = pair;
    for (const [index, select] of selects.entries()) select.value = pair[index]!.id;
    partsOf(root, 'figures')[0]!.innerHTML = comparisonHtml(pair);
    const title = `${pair[0].label} and ${pair[1].label}`;
    partsOf(document.body, 'title')[0]!.textContent = title;
    document.title = `${title} compared – Cathedral Data Service`;
    const drawn = await Promise.all(charts.map((chart) => drawChart(chart, pair)));
    if (shown === pair && drawn.includes(false))
      say('The charts cannot be loaded now. The figures are those of this page.');
    return true;
  };
  const address = () => {
    const { a = '', b = '' } = Object.fromEntries(new URLSearchParams(location.search));
    return [a, b] as const;
  };
  form.addEventListener('change', () => {
    const [a, b] = selects.map(({ value }) => value) as [string, string];
    if ('pair' in askedPair(subjects, a, b)) history.pushState(null, '', comparePath(a, b));
    void show(a, b);
  });
  window.addEventListener('popstate', () => void show(...address()));
  if (address().join('') !== '') void show(...address());
}

if (root) listen(root);
