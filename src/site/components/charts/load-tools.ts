import { formatNumber } from '../../../../pipeline/words/number.ts';
import type { ChartFacts } from './chart-facts.ts';
import type { ChartTools, Redrawn } from './chart-tools.ts';

/**
 * The functions that draw, loaded when they are first asked for, and once: they weigh more than the page. Rejects where the
 * script or the chart's files cannot be loaded; the next call tries again.
 */
export function toolsLoader(script: string, facts: ChartFacts): () => Promise<ChartTools> {
  let loading: Promise<ChartTools> | null = null;
  return () => {
    loading ??= loadScript(script)
      .then(() => globalThis.openChartTools!(facts))
      .catch((error: unknown) => {
        loading = null;
        throw error;
      });
    return loading;
  };
}

function loadScript(src: string): Promise<void> {
  if (globalThis.openChartTools) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = src;
    element.addEventListener('load', () => resolve());
    element.addEventListener('error', () => reject(new Error(`${src} cannot be loaded`)));
    document.head.append(element);
  });
}

/** Puts a new view in the place of the one before, part by part. Nothing else in the page moves or loses its focus. */
export function showRedrawn(root: HTMLElement, { text, html, rows }: Redrawn): void {
  for (const [name, words] of Object.entries(text)) {
    for (const element of partsOf(root, name)) {
      element.textContent = words;
      element.hidden = words === '';
    }
  }
  for (const [name, markup] of Object.entries(html))
    for (const element of partsOf(root, name)) element.innerHTML = markup;
  for (const element of partsOf(root, 'rows')) element.textContent = formatNumber(rows);
}

/** Elements that show a part of the view: `<h1 data-part="title">`. */
export function partsOf(root: HTMLElement, name: string): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(`[data-part="${name}"]`)];
}
