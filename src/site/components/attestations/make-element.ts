/** Creates an element. Strings become text, never markup. */
export function makeElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  ...content: (string | Node)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  element.append(...content);
  return element;
}
