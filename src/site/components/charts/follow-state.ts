import { embedPath, pagePath, withQuery } from '../../../../pipeline/charts/chart-address.ts';
import type { ChartState } from '../../../../pipeline/charts/chart-state.ts';
import { escapeText } from '../../../../pipeline/charts/drawing/element.ts';
import type { ChartFacts } from './chart-facts.ts';
import type { ChartTools } from './chart-tools.ts';

/** What stands beside the chart and has its address in it; `before` and `query` are the parameters of the states. */
export function followState(root: HTMLElement, facts: ChartFacts, before: string, query: string): void {
  const { baseUrl, id } = facts;
  const [old, url] = [before, query].map((parameters) => baseUrl + pagePath(id, parameters)) as [
    string,
    string,
  ];
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[data-follow]')) {
    const item = link.closest<HTMLElement>('[data-any-state]');
    const follows = item?.dataset.anyState !== 'false';
    link.href = withQuery(link.dataset.follow!, follows ? query : '');
    if (item) item.hidden = query !== '' && !follows;
  }
  setCode(root, 'link', url);
  const [frame, newFrame] = [before, query].map((parameters) =>
    escapeText(baseUrl + embedPath(id, parameters)),
  ) as [string, string];
  for (const code of root.querySelectorAll('[data-code="live"] code'))
    code.textContent = code.textContent!.replace(`"${frame}"`, `"${newFrame}"`);
  for (const code of root.querySelectorAll('[data-code="citation"] code'))
    code.textContent = replaceEnd(code.textContent!, old, url);
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[data-citation]')) {
    const text = link.closest('details')!.querySelector('code')!.textContent!;
    link.href =
      query === ''
        ? `/charts/${id}/citation.${link.dataset.citation}`
        : `data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`;
  }
}

export function setCode(root: HTMLElement, name: string, text: string): void {
  for (const code of root.querySelectorAll(`[data-code="${name}"] code`)) code.textContent = text;
}

/** The address is in a citation once, and of the default state it is the beginning of all others. */
function replaceEnd(text: string, old: string, url: string): string {
  const at = text.lastIndexOf(old);
  return at < 0 ? text : text.slice(0, at) + url + text.slice(at + old.length);
}

/** Forms that the browser can make itself. */
const MADE_HERE = {
  '.svg': { type: 'image/svg+xml', make: (tools: ChartTools, state: ChartState) => tools.svg(state) },
  '.csv': { type: 'text/csv', make: (tools: ChartTools, state: ChartState) => tools.csv(state) },
} as const;

/**
 * Where nothing answers parameters, as on a mirror, a file of the default view would come under the name of another: what the
 * browser can make is made here, and the rest is taken away until the default is shown again.
 */
export function replaceDownloads(
  root: HTMLElement,
  id: string,
  tools: ChartTools,
  state: ChartState,
  isDefault: boolean,
): void {
  for (const link of root.querySelectorAll<HTMLAnchorElement>('.downloads a[data-follow]')) {
    const path = link.dataset.follow!;
    const own = Object.entries(MADE_HERE).find(([ending]) => path === `/charts/${id}${ending}`)?.[1];
    if (link.href.startsWith('blob:')) URL.revokeObjectURL(link.href);
    link.closest('li')!.hidden = !isDefault && own === undefined;
    link.href =
      isDefault || !own ? path : URL.createObjectURL(new Blob([own.make(tools, state)], { type: own.type }));
    link.download = link.href.startsWith('blob:') ? path.slice(path.lastIndexOf('/') + 1) : '';
    if (link.download === '') link.removeAttribute('download');
  }
}
