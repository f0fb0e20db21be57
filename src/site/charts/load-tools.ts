import { formatCount } from '../../../pipeline/words/number.ts';
import type { ChartFacts } from './chart-facts.ts';
import type { ChartTools, Redrawn } from './chart-tools.ts';

/** How to get a PDF of a view. */
export const VIEW_PDF =
  'The PDF file is of the chart as it opens. For a PDF of this view, print this page or convert its SVG.';

/**
 * Loads the drawing functions once, on first use, because they are larger than the page. Rejects if the script or the
 * chart's files cannot be loaded; the next call tries again.
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

/** Replaces the view part by part, so that nothing else in the page moves or loses focus. */
export function showRedrawn(root: HTMLElement, { text, html, rows }: Redrawn): void {
  for (const [name, words] of Object.entries(text)) {
    for (const element of partsOf(root, name)) {
      element.textContent = words;
      element.hidden = words === '';
    }
  }
  for (const [name, markup] of Object.entries(html))
    for (const element of partsOf(root, name)) element.innerHTML = markup;
  for (const element of partsOf(root, 'rows')) element.textContent = formatCount(rows, 'row');
}

/** The elements that show a part of the view: `<h1 data-part="title">`. */
export function partsOf(root: HTMLElement, name: string): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(`[data-part="${name}"]`)];
}
