import { formatBytes, formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { makeButton, makeElement, makeLink } from '../../layout/make-element.ts';
import { saveFile } from '../../layout/save-file.ts';
import { copierOf, element, followAddress, putAddress, Tool } from '../../layout/tool.ts';
import { cellClass } from '../../layout/worker-parts.ts';
import type { Traffic } from './remote-file.ts';
import type { RowsAnswer, RowsJob } from './rows-worker.ts';
import {
  type Filter,
  filterWords,
  formatFilter,
  formatSelection,
  isNumber,
  isTime,
  OPERATORS,
  type Operator,
  operatorsOf,
  operatorWords,
  parseSelection,
  ROWS_A_PAGE,
  type Selection,
  type Wrong,
} from './selection.ts';
import { entityHref, proofHref, type ShownRow, type TableAbout } from './table-about.ts';
import type { PageOfRows } from './table-rows.ts';

/** Bytes that are read without asking: a second on a slow line. */
const FREE_BYTES = 4 << 20;
/** Rows that are laid out at once: all of a page would keep a slow phone from answering for a quarter of a second. */
const ROWS_A_FRAME = 12;
const WHOLE: Selection = { page: 1, sort: null, filters: [] };

const place = element('#rows');
const about = JSON.parse(place.dataset.about!) as TableAbout;
const table = element<HTMLTableElement>('#rows-table');
const status = element('#rows-status');
const notice = element('#rows-notice');
const filterList = element('#rows-filters');
const clear = element<HTMLAnchorElement>('#rows-clear');
const pagers = [...document.querySelectorAll<HTMLElement>('.rows-pager')];
const body = element<HTMLTableSectionElement>('#rows-body');
const heads = [...table.tHead!.querySelectorAll<HTMLElement>('th[data-column]')];
const staticRows = [...body.rows];
const staticWords = status.textContent!;

const tool = new Tool<RowsJob, RowsAnswer, Traffic>({
  script: place.dataset.worker!,
  place,
  notice,
  free: FREE_BYTES,
  cancelled: 'The rows below are those of the selection before.',
});
let selection = WHOLE;
let total = about.rows;

function ask(want: RowsJob['want']): void {
  const job = (allowed: number): RowsJob => ({ about, selection, want, allowed });
  tool.run(want === 'csv' ? 'Preparing the file …' : 'Reading …', job, {
    news: ({ requests, bytes }) => {
      element('#rows-traffic').textContent =
        `Read so far: ${formatBytes(bytes)} in ${formatCount(requests, 'request')}.`;
    },
    done: (answer) => (answer instanceof Blob ? save(answer) : showPage(answer)),
  });
}

const lastPage = () => Math.max(1, Math.ceil(total / ROWS_A_PAGE));
const columnOf = (name: string) => about.columns.find((column) => column.name === name)!;
const addressOf = (wanted: Selection) => `${location.pathname}${formatSelection(wanted)}`;
const say = (words: string) => {
  status.textContent = words;
};

function showPage(page: PageOfRows): void {
  total = page.total;
  const last = lastPage();
  if (selection.page <= last) return void show(page.rows);
  const words = `There is no page ${formatNumber(selection.page)}: the selection has ${formatCount(total, 'row')}, the last of them on `;
  const toLast = makeLink(`page ${formatNumber(last)}`, addressOf({ ...selection, page: last }));
  showNothing(makeElement('p', '', words, toLast, '.'));
}

async function show(rows: readonly ShownRow[]): Promise<void> {
  if (!(await drawRows(rows.length, (at) => rowElement(rows[at]!)))) return;
  say(wordsOf(rows.length));
  drawPagers();
}

/** Counts the pages of rows that were begun. */
let drawn = 0;

/** Puts these rows in the place of those that are there, some in each frame. False: others are to be shown meanwhile. */
async function drawRows(count: number, rowAt: (at: number) => HTMLElement): Promise<boolean> {
  drawn += 1;
  const own = drawn;
  for (let at = 0; at < count; at += 1) {
    if (at > 0 && at % ROWS_A_FRAME === 0) await new Promise((resolve) => requestAnimationFrame(resolve));
    if (own !== drawn) return false;
    const [row, old] = [rowAt(at), body.rows[at]];
    if (old) old.replaceWith(row);
    else body.append(row);
  }
  for (const old of [...body.rows].slice(count)) old.remove();
  return true;
}

function rowElement({ cells, line }: ShownRow): HTMLElement {
  const items = cells.map((text, index) => {
    const { name, type } = about.columns[index]!;
    const href = entityHref(about, name, text);
    return makeElement('td', cellClass(text, isNumber(type)), href === null ? text : makeLink(text, href));
  });
  const href = proofHref(line);
  const proof = makeElement('td', 'tight', href && makeLink('Prove', href));
  return makeElement('tr', '', ...items, about.proof !== null && proof);
}

function wordsOf(shown: number): string {
  const { page, sort, filters } = selection;
  const where = filters.map((filter) => filterWords(filter, columnOf(filter.column).type)).join(', and ');
  if (total === 0) return `There is no row${where && ` where ${where}`}.`;
  const first = (page - 1) * ROWS_A_PAGE;
  const rows = `Rows ${formatNumber(first + 1)}–${formatNumber(first + shown)} of ${formatNumber(total)}`;
  const sorted = sort && `sorted by ${sort.column}, ${sort.descending ? 'descending' : 'ascending'}`;
  return `${rows}${where && ` where ${where}`}, ${sorted ?? place.dataset.order}.`;
}

/** Shows these words instead of a table, which has no rows. */
function showNothing(...words: readonly Node[]): void {
  void drawRows(0, () => makeElement('tr', ''));
  status.replaceChildren(makeElement('div', 'missing', ...words));
  for (const pager of pagers) pager.replaceChildren();
}

function showWrong(wrong: readonly Wrong[]): void {
  const items = wrong.map(({ place: where, expected, found }) =>
    makeElement('li', '', makeElement('code', '', where), `: expected ${expected}; found ${found}`),
  );
  const asOf = new URLSearchParams(location.search).get('as_of');
  const rest = formatSelection(selection);
  const version = asOf && `/versions/?file=${about.artifact.path}&as_of=${encodeURIComponent(asOf)}`;
  tool.clear();
  showNothing(
    makeElement('p', '', 'The address asks for something that the table does not have:'),
    makeElement('ul', '', ...items),
    makeElement('p', '', rest !== '' && makeLink('Show the rest of the selection', addressOf(selection))),
    makeElement('p', '', makeLink('Show the whole table', location.pathname)),
    makeElement('p', '', version && makeLink(`The file as of ${asOf}`, version)),
  );
}

function save(blob: Blob): void {
  saveFile(`${about.name.replaceAll('_', '-')}-selection.csv`, blob);
  say(`Saved ${formatCount(total, 'row')}, ${formatBytes(blob.size)}. ${wordsOf(body.rows.length)}`);
}

/** Shows a selection, and puts it into the address. */
function go(wanted: Selection): void {
  putAddress(addressOf(wanted));
  showAddress();
}

function showAddress(): void {
  const parsed = parseSelection(new URLSearchParams(location.search), about.columns);
  selection = parsed.selection;
  const { sort, filters } = selection;
  for (const head of heads) {
    const isSorted = sort?.column === head.dataset.column;
    head.ariaSort = isSorted ? (sort!.descending ? 'descending' : 'ascending') : null;
  }
  filterList.replaceChildren(...filters.map(filterItem));
  const isWhole = formatSelection(selection) === '';
  clear.hidden = isWhole;
  if (parsed.wrong.length > 0) showWrong(parsed.wrong);
  else if (isWhole) showStatic();
  else ask('page');
}

/** The first page of the whole table, as the page came. */
function showStatic(): void {
  tool.clear();
  total = about.rows;
  if (drawn > 0) void drawRows(staticRows.length, (at) => staticRows[at]!);
  say(staticWords);
  drawPagers();
}

/** Numbers and times begin with the greatest; then the other way round; then the order of the file. */
function nextSort(column: string): Selection['sort'] {
  const { sort } = selection;
  const { type } = columnOf(column);
  const first = isNumber(type) || isTime(type);
  if (sort?.column !== column) return { column, descending: first };
  return sort.descending === first ? { column, descending: !first } : null;
}

for (const head of heads) {
  const sorting = makeButton(
    '',
    () => go({ ...selection, page: 1, sort: nextSort(head.dataset.column!) }),
    'sort',
  );
  sorting.append(...head.childNodes);
  head.replaceChildren(sorting);
}

function drawPagers(): void {
  const last = lastPage();
  const { page } = selection;
  for (const pager of pagers) {
    const controls = () => [...pager.querySelectorAll<HTMLButtonElement | HTMLInputElement>('button, input')];
    const focused = controls().findIndex((one) => one.matches(':focus'));
    const to = (words: string, target: number) => {
      const button = makeButton(words, () => {
        go({ ...selection, page: target });
        table.scrollIntoView({ block: 'nearest' });
      });
      button.disabled = target < 1 || target > last || target === page;
      return button;
    };
    const field = makeElement('input', '');
    Object.assign(field, {
      type: 'number',
      min: '1',
      max: String(last),
      value: String(page),
      ariaLabel: 'Page',
    });
    field.addEventListener('change', () => {
      if (field.value !== '' && field.reportValidity()) go({ ...selection, page: Number(field.value) });
    });
    pager.replaceChildren(
      to('First', 1),
      to('Previous', page - 1),
      makeElement('span', '', 'Page ', field, ` of ${formatNumber(last)}`),
      to('Next', page + 1),
      to('Last', last),
    );
    pager.hidden = last === 1;
    // Each is made anew: the same one keeps the focus, so that the next key goes on; at an end, where it is disabled, the field.
    const same = controls()[focused];
    if (same) (same.disabled ? field : same).focus({ preventScroll: true });
  }
}

/** A filter that holds, with a button that takes it away. */
function filterItem(filter: Filter): HTMLElement {
  const words = filterWords(filter, columnOf(filter.column).type);
  const others = selection.filters.filter((one) => one !== filter);
  const take = () => {
    go({ ...selection, page: 1, filters: others });
    form.querySelector('summary')!.focus();
  };
  const remove = makeButton('Remove', take, 'quiet small');
  remove.setAttribute('aria-label', `Remove the filter: ${words}`);
  return makeElement('li', 'row', words, remove);
}

const form = element<HTMLFormElement>('#rows-form');
const [columnField, operatorField] = [...form.querySelectorAll('select')] as [
  HTMLSelectElement,
  HTMLSelectElement,
];
const valueFields = [...form.querySelectorAll('input')];

/** Offers the comparisons that the chosen column has, and fields for the values that the comparison takes. */
function fitFields(): void {
  const column = columnOf(columnField.value);
  const { type } = column;
  const known = operatorsOf(column);
  const chosen = known.find((one) => one === operatorField.value) ?? known[0]!;
  const optionOf = (one: Operator) => new Option(operatorWords(one, type), one, false, one === chosen);
  operatorField.replaceChildren(...known.map(optionOf));
  const { count } = OPERATORS[chosen];
  for (const [at, input] of valueFields.entries()) {
    const isAsked = at < count;
    Object.assign(input, {
      hidden: !isAsked,
      disabled: !isAsked,
      required: chosen !== 'eq' || type !== 'text',
      ariaLabel: count < 2 ? 'Value' : at === 0 ? 'From' : 'To',
      placeholder: isTime(type) ? 'YYYY-MM-DD' : '',
      inputMode: isNumber(type) ? 'decimal' : 'text',
    });
  }
}

fitFields();
form.addEventListener('change', fitFields);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const values = valueFields.filter(({ disabled }) => !disabled).map(({ value }) => value.trim());
  const added = { column: columnField.value, operator: operatorField.value, values };
  const texts = [...selection.filters, added].map((filter) => ['filter', formatFilter(filter)]);
  const { selection: typed, wrong } = parseSelection(new URLSearchParams(texts), about.columns);
  if (wrong.length === 0) return go({ ...typed, sort: selection.sort });
  const words = wrong.map(
    ({ place: where, expected, found }) =>
      `${where.replace(/^filter=/, '')}: expected ${expected}; found ${found}`,
  );
  notice.replaceChildren(...words.map((one) => makeElement('p', '', one)));
  notice.hidden = false;
});
clear.addEventListener('click', (event) => {
  event.preventDefault();
  go(WHOLE);
});
element('#rows-save').addEventListener('click', () => ask('csv'));

const copy = element<HTMLButtonElement>('#rows-copy');
const copyText = copierOf(say);
copy.hidden = copyText === null;
copy.addEventListener('click', () => copyText!(location.href, 'The address of this selection is copied.'));

followAddress(showAddress);
