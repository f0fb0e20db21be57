import type { ChartFacts } from './chart-facts.ts';
import type { ChartTools } from './chart-tools.ts';

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
