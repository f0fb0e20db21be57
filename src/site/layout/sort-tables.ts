/**
 * Lets readers sort any table of a page by a column, and says when a table is wider than its place. Without this script they are
 * tables in the order of the page.
 */

/** Made when a reader sorts words: making it takes longer than all else that this script does at load. */
let collator: Intl.Collator | undefined;
/** A table of two rows needs no order. */
const LEAST_ROWS = 3;
const ORDERS = ['ascending', 'descending', 'none'] as const;
type Order = (typeof ORDERS)[number];

/** What a cell is sorted by: a number if it is one, with or without its unit; null if it is empty. */
export type SortValue = number | string | null;

/** `1,234.5 MIC`, `−3 %`, `+0.05`, `20.5 kB` */
const NUMBER = /^([+-]?\d+(?:\.\d+)?)(?:\s*([^\d\s-]\S*))?$/;
const BYTES: Readonly<Record<string, number>> = { bytes: 1, byte: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const DATE = new RegExp(`^(\\d{1,2}) (${MONTHS.join('|')}) (\\d{4})(?:, (\\d\\d):(\\d\\d) UTC)?$`);
const EMPTY = /^[–—-]?$/;

export function sortValue(text: string): SortValue {
  const words = text.trim().replaceAll(/\s+/g, ' ');
  if (EMPTY.test(words)) return null;
  const [, day, month, year, hour = '0', minute = '0'] = DATE.exec(words) ?? [];
  if (day) return Date.UTC(Number(year), MONTHS.indexOf(month!), Number(day), Number(hour), Number(minute));
  const [, digits, unit = ''] =
    NUMBER.exec(words.replace('−', '-').replaceAll(/(?<=\d),(?=\d{3})/g, '')) ?? [];
  return digits === undefined ? words : Number(digits) * (BYTES[unit] ?? 1);
}

/** Numbers before texts, and empty cells last in both orders. */
export function compareValues(one: SortValue, other: SortValue, order: 'ascending' | 'descending'): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const sign = order === 'ascending' ? 1 : -1;
  if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
  if (typeof one !== typeof other) return typeof one === 'number' ? -1 : 1;
  collator ??= new Intl.Collator('en-GB', { numeric: true, sensitivity: 'base' });
  return sign * collator.compare(String(one), String(other));
}

/** A column of numbers begins with the largest. */
function nextOrder(current: Order, isNumeric: boolean): Order {
  const cycle: readonly Order[] = isNumeric ? ['descending', 'ascending', 'none'] : ORDERS;
  return cycle[(cycle.indexOf(current) + 1) % cycle.length]!;
}

function sortBy(table: HTMLTableElement, column: number): void {
  const [body] = table.tBodies;
  const headings = [...table.tHead!.rows[0]!.cells];
  const rows = [...body!.rows];
  for (const [place, row] of rows.entries()) row.dataset.place ??= String(place);
  const values = new Map(
    rows.map((row) => {
      const cell = row.cells[column];
      return [row, sortValue(cell?.dataset.sort ?? cell?.textContent ?? '')];
    }),
  );
  const isNumeric = [...values.values()].every((value) => typeof value !== 'string');
  const heading = headings[column]!;
  const order = nextOrder((heading.getAttribute('aria-sort') as Order | null) ?? 'none', isNumeric);
  for (const one of headings) one.removeAttribute('aria-sort');
  if (order !== 'none') heading.setAttribute('aria-sort', order);
  const place = (row: HTMLElement) => Number(row.dataset.place);
  rows.sort((a, b) =>
    order === 'none'
      ? place(a) - place(b)
      : compareValues(values.get(a)!, values.get(b)!, order) || place(a) - place(b),
  );
  body!.append(...rows);
}

/** Only tables whose rows are alike: one body, one row of headings, no cell over several rows or columns. */
function isSortable({ tHead, tBodies, dataset }: HTMLTableElement): boolean {
  const [body] = tBodies;
  if (dataset.order !== undefined || tHead?.rows.length !== 1 || tBodies.length !== 1) return false;
  if (body!.rows.length < LEAST_ROWS) return false;
  const count = tHead.rows[0]!.cells.length;
  const spans = tHead.querySelector('[colspan]') ?? body!.querySelector('[rowspan], [colspan]');
  return spans === null && [...body!.rows].every(({ cells }) => cells.length === count);
}

function addButtons(table: HTMLTableElement): void {
  if (!isSortable(table)) return;
  for (const [column, heading] of [...table.tHead!.rows[0]!.cells].entries()) {
    if (heading.textContent.trim() === '' || heading.querySelector('button, a')) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'sort';
    button.append(...heading.childNodes);
    button.addEventListener('click', () => sortBy(table, column));
    heading.append(button);
  }
}

/** Says in words what the shadow at the edge of a region shows: that its table goes on. */
function sayWhatScrolls(): void {
  const words = document.createElement('p');
  words.id = 'scrolls';
  words.hidden = true;
  words.textContent = 'The table is wider than the screen: scroll sideways to see all columns.';
  document.querySelector('main')!.append(words);
  const observer = new ResizeObserver((entries) => {
    const regions = new Set(entries.map(({ target }) => target.closest('.scroll')!));
    // All widths are read before anything is written: otherwise each would cost a layout.
    const wide = [...regions].filter((region) => region.scrollWidth > region.clientWidth + 1);
    for (const region of regions) region.removeAttribute('aria-describedby');
    for (const region of wide) region.setAttribute('aria-describedby', words.id);
  });
  for (const one of document.querySelectorAll('.scroll, .scroll table')) observer.observe(one);
}

function addAllButtons(): void {
  for (const table of document.querySelectorAll('table')) table.querySelector('.sort') ?? addButtons(table);
}

if (typeof document !== 'undefined') {
  addAllButtons();
  sayWhatScrolls();
  // The table of a chart is written anew for each choice, and tools draw theirs.
  for (const place of document.querySelectorAll('table[data-part], [data-tables]'))
    new MutationObserver(addAllButtons).observe(place, { childList: true });
}
