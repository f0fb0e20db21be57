import { showDirections } from '../../../pipeline/artifacts/format/show-directions.ts';

type Attributes = Readonly<Record<string, string | number | null | undefined | false>>;
type Child = Node | string | null | undefined | false;

/** Creates an element with attributes and children; what is null, undefined or false is left out. Strings become text, never markup, in one direction. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return filled(document.createElement(tag), attributes, children);
}

/** Creates an element that has at most a class. */
export function makeElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return make(tag, { class: className || null }, ...children);
}

export function makeLink(words: string, href: string): HTMLAnchorElement {
  return make('a', { href }, words);
}

export function makeButton(words: string, press: () => void, className = ''): HTMLButtonElement {
  const button = make('button', { type: 'button', class: className || null }, words);
  button.addEventListener('click', press);
  return button;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else element.setAttribute(name, String(value));
}

function filled<T extends Element>(element: T, attributes: Attributes, children: readonly Child[]): T {
  setAttributes(element, attributes);
  const present = children.filter((child) => child !== null && child !== undefined && child !== false);
  // As in the HTML of pages, which passes through a middleware for that.
  element.append(...present.map((child) => (typeof child === 'string' ? showDirections(child) : child)));
  return element;
}
