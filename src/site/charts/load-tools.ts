import type { ChartFacts } from './chart-facts.ts';
import type { ChartTools } from './chart-tools.ts';

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
    const fail = () => reject(new Error(`${src} cannot be loaded`));
    // A script that breaks off is loaded, and does nothing.
    element.addEventListener('load', () => (globalThis.openChartTools ? resolve() : fail()));
    element.addEventListener('error', fail);
    document.head.append(element);
  });
}

/** Replaces what elements show, by their `data-part`, so that nothing else in the page moves or loses focus; one without text is hidden. */
export function showParts(root: HTMLElement, parts: Readonly<Record<string, string>>): void {
  for (const [name, html] of Object.entries(parts))
    for (const element of root.querySelectorAll<HTMLElement>(`[data-part="${name}"]`)) {
      element.innerHTML = html;
      element.hidden = html === '';
    }
}
