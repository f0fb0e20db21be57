import { formatNumber } from '../../../../pipeline/words/number.ts';
import type { Redrawn } from './chart-tools.ts';

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
