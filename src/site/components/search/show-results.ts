import type { Result } from './search-engine.ts';

/** An entry of the list of results. `kindName` is what readers call its kind. */
export function resultItem({ url, excerpt, meta }: Result, kindName: string): HTMLLIElement {
  const item = document.createElement('li');
  const kind = document.createElement('p');
  kind.className = 'label';
  kind.textContent = kindName;
  const title = document.createElement('h2');
  title.className = 'entry';
  const link = document.createElement('a');
  link.href = url;
  link.textContent = meta.title ?? url;
  title.append(link);
  const words = document.createElement('p');
  words.append(...marked(excerpt));
  item.append(kind, title, words);
  return item;
}

/** The excerpt's text with its marks, and nothing else of its HTML. */
function marked(excerpt: string): (string | HTMLElement)[] {
  const { body } = new DOMParser().parseFromString(excerpt, 'text/html');
  return [...body.childNodes].map((node) => {
    const text = node.textContent ?? '';
    if (node.nodeName !== 'MARK') return text;
    const mark = document.createElement('mark');
    mark.textContent = text;
    return mark;
  });
}
