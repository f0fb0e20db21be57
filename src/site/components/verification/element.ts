/** An element that the page has; without it the page and its script are not of one build. */
export function element<T extends HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`no ${selector} in this page`);
  return found;
}
