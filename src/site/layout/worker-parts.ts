/**
 * A part of a page as data: a worker makes it, the page draws it. Strings become text, never markup.
 */
export interface Part {
  tag: keyof HTMLElementTagNameMap;
  attributes: Readonly<Record<string, string>>;
  children: readonly (string | Part)[];
  /** What a link saves, under the name in its attribute `download`. */
  file?: Blob;
}

export function part(
  tag: Part['tag'],
  attributes: Part['attributes'] = {},
  ...children: Part['children']
): Part {
  return { tag, attributes, children };
}

export function linkPart(words: string, href: string): Part {
  return part('a', { href }, words);
}

/** A link that saves a file. */
export function savePart(words: string, name: string, file: Blob, more: Part['attributes'] = {}): Part {
  return { ...part('a', { download: name, ...more }, words), file };
}

/** Names and values, as an element of this class. */
export function factsPart(name: string, facts: readonly (readonly [name: string, value: string])[]): Part {
  const items = facts.flatMap(([name, value]) => [part('dt', {}, name), part('dd', {}, value)]);
  return part('dl', { class: name }, ...items);
}

/** A long text, which scrolls. `label` names it to screen readers. */
export function codePart(label: string, text: string): Part {
  return part('pre', { tabindex: '0', role: 'region', 'aria-label': label }, part('code', {}, text));
}

/** A cell of a table: its text, or a link; null: no value, as SQL writes it. */
export type Cell = string | Part | null;

/**
 * A table that scrolls sideways. `label` names it. Cells stand at the right in the columns whose place is in `numbers`; short ones are
 * not broken into lines.
 */
export function tablePart(
  label: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  { numbers = new Set(), id }: { numbers?: ReadonlySet<number>; id?: string } = {},
): Part {
  const head = columns.map((name, at) =>
    part('th', { scope: 'col', ...(numbers.has(at) && { class: 'number' }) }, name),
  );
  const body = rows.map((cells) =>
    part('tr', {}, ...cells.map((cell, at) => cellPart(cell, numbers.has(at)))),
  );
  const table = part(
    'table',
    id ? { id } : {},
    part('thead', {}, part('tr', {}, ...head)),
    part('tbody', {}, ...body),
  );
  return part('div', { class: 'scroll tall', tabindex: '0', role: 'region', 'aria-label': label }, table);
}

/** Longer cells are broken into lines. */
const TIGHT = 40;

export function cellClass(text: string, isNumber: boolean): string {
  if (isNumber) return 'number';
  return text.length <= TIGHT ? 'tight' : 'long';
}

function cellPart(cell: Cell, isNumber: boolean): Part {
  // Nothing comes last in either order.
  if (cell === null) return part('td', { class: 'muted', 'data-sort': '' }, 'NULL');
  const text = typeof cell === 'string' ? cell : cell.children.join('');
  return part('td', { class: cellClass(text, isNumber) }, cell);
}
