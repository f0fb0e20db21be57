import { formatBytes, formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { makeButton, makeElement, makeLink } from '../../layout/make-element.ts';
import { saveFile } from '../../layout/save-file.ts';
import { copierOf, element, followAddress, putAddress, Tool } from '../../layout/tool.ts';
import { cellClass } from '../../layout/worker-parts.ts';
import type { Traffic } from './remote-file.ts';
import type { PageOfRows } from './row-source.ts';
import type { RowsAnswer, RowsJob } from './rows-worker.ts';
import {
  filterWords,
  formatSelection,
  isNumber,
  isTime,
  MOST_FILTERS,
  OPERATOR_WORDS,
  type Operator,
  operatorsOf,
  parseSelection,
  ROWS_A_PAGE,
  type Selection,
  TIME_WORDS,
  type Wrong,
} from './selection.ts';
import { entityHref, proofHref, type ShownRow, type TableAbout } from './table-about.ts';

/** Bytes that are read without asking: a second on a slow line. */
const FREE_BYTES = 4 << 20;
/** Rows that are laid out at once: all of a page would keep a slow phone from answering for a quarter of a second. */
const ROWS_A_FRAME = 12;

const place = element('#rows');
const about = JSON.parse(place.dataset.about!) as TableAbout;
const table = element<HTMLTableElement>('#rows-table');
const status = element('#rows-status');
const notice = element('#rows-notice');
const form = element<HTMLFormElement>('#rows-form');
const filterList = element('#rows-filters');
const pagers = [...document.querySelectorAll<HTMLElement>('.rows-pager')];
const body = table.tBodies[0]!;
const staticRows = [...body.rows];
const staticWords = status.textContent!;

const tool = new Tool<RowsJob, RowsAnswer, Traffic>({
  script: place.dataset.worker!,
  place,
  notice,
  free: FREE_BYTES,
  cancelled: 'The rows below are those of the selection before.',
});
let selection: Selection = { page: 1, sort: null, filters: [] };
let total = about.rows;

function ask(want: RowsJob['want']): void {
  const job = (allowed: number): RowsJob => ({ about, selection, want, allowed });
  tool.run(want === 'csv' ? 'Preparing the file …' : 'Reading …', job, {
    news: ({ requests, bytes }) => {
      element('#rows-traffic').textContent =
        `Read so far: ${formatBytes(bytes)} in ${formatCount(requests, 'request')}.`;
    },
    done: (answer) => (answer instanceof Blob ? save(answer) : showPage(answer)),
    failed: (message) => showNothing(makeElement('p', '', message)),
  });
}

function showPage(page: PageOfRows): void {
  total = page.total;
  const last = Math.max(1, Math.ceil(total / ROWS_A_PAGE));
  if (selection.page > last) {
    const toLast = makeLink(`page ${formatNumber(last)}`, addressOf({ ...selection, page: last }));
    const words = `There is no page ${formatNumber(selection.page)}: the selection has ${formatCount(total, 'row')}, the last of them on `;
    showNothing(makeElement('p', '', words, toLast, '.'));
  } else void show(page.rows);
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
  for (let at = 0; at < count; at += ROWS_A_FRAME) {
    if (at > 0) await nextFrame();
    if (own !== drawn) return false;
    for (let next = at; next < Math.min(at + ROWS_A_FRAME, count); next += 1) {
      const row = rowAt(next);
      const old = body.rows[next];
      if (old) old.replaceWith(row);
      else body.append(row);
    }
  }
  for (const old of [...body.rows].slice(count)) old.remove();
  return true;
}

function nextFrame(): Promise<unknown> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
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
  if (total === 0)
    return `No row has ${filters.map((filter) => filterWords(filter, typeOf(filter.column))).join(', and ')}.`;
  const first = (page - 1) * ROWS_A_PAGE;
  const rows = `Rows ${formatNumber(first + 1)}–${formatNumber(first + shown)} of ${formatNumber(total)}`;
  const where = filters.map((filter) => filterWords(filter, typeOf(filter.column))).join(', and ');
  const order = sort
    ? `sorted by ${sort.column}, ${sort.descending ? 'from the greatest' : 'from the least'}`
    : place.dataset.order!;
  return `${rows}${where ? ` where ${where}` : ''}${order ? `, ${order}` : ''}.`;
}

function typeOf(name: string) {
  return about.columns.find((column) => column.name === name)!.type;
}

function say(words: string): void {
  status.textContent = words;
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
  tool.clear();
  showNothing(
    makeElement('p', '', 'The address asks for what the table does not have:'),
    makeElement('ul', '', ...items),
    makeElement('p', '', makeLink('Show the whole table', location.pathname)),
  );
}

function save(blob: Blob): void {
  saveFile(`${about.name.replaceAll('_', '-')}-selection.csv`, blob);
  say(`Saved ${formatCount(total, 'row')}, ${formatBytes(blob.size)}. ${wordsOf(body.rows.length)}`);
}

function addressOf(wanted: Selection): string {
  return `${location.pathname}${formatSelection(wanted)}`;
}

/** Shows a selection, and puts it into the address. */
function go(wanted: Selection): void {
  putAddress(addressOf(wanted));
  showAddress();
}

function showAddress(): void {
  const parsed = parseSelection(new URLSearchParams(location.search), about.columns);
  selection = parsed.selection;
  drawHeads();
  drawFilters();
  element<HTMLAnchorElement>('#rows-clear').hidden = formatSelection(selection) === '';
  if (parsed.wrong.length > 0) showWrong(parsed.wrong);
  else if (formatSelection(selection) !== '') ask('page');
  else showStatic();
}

/** The first page of the whole table, as the page came. */
function showStatic(): void {
  tool.clear();
  total = about.rows;
  if (drawn > 0) void drawRows(staticRows.length, (at) => staticRows[at]!);
  say(staticWords);
  drawPagers();
}

function drawHeads(): void {
  for (const head of table.tHead!.querySelectorAll<HTMLElement>('th[data-column]')) {
    const { column } = head.dataset;
    const { sort } = selection;
    const isSorted = sort?.column === column;
    if (isSorted) head.setAttribute('aria-sort', sort!.descending ? 'descending' : 'ascending');
    else head.removeAttribute('aria-sort');
  }
}

/** Numbers and times begin with the greatest; then the other way round; then the order of the file. */
function nextSort(column: string): Selection['sort'] {
  const { sort } = selection;
  const first = !/^(text|list|boolean)$/.test(typeOf(column));
  if (sort?.column !== column) return { column, descending: first };
  return sort.descending === first ? { column, descending: !first } : null;
}

for (const head of table.tHead!.querySelectorAll<HTMLElement>('th[data-column]')) {
  const { column } = head.dataset;
  const sorting = makeButton('', () => go({ ...selection, page: 1, sort: nextSort(column!) }));
  sorting.className = 'sort';
  sorting.append(...head.childNodes);
  head.replaceChildren(sorting);
}

function drawPagers(): void {
  const last = Math.max(1, Math.ceil(total / ROWS_A_PAGE));
  const { page } = selection;
  for (const pager of pagers) {
    const to = (words: string, target: number) => {
      const found = makeButton(words, () => {
        go({ ...selection, page: target });
        table.scrollIntoView({ block: 'nearest' });
      });
      found.disabled = target < 1 || target > last || target === page;
      return found;
    };
    const field = makeElement('input', '');
    field.type = 'number';
    field.min = '1';
    field.max = String(last);
    field.value = String(page);
    field.ariaLabel = 'Page';
    field.addEventListener('change', () => {
      if (field.validity.valid && field.value !== '') go({ ...selection, page: Number(field.value) });
      else field.reportValidity();
    });
    const count = makeElement('span', '', 'Page ', field, ` of ${formatNumber(last)}`);
    pager.replaceChildren(
      to('First', 1),
      to('Previous', page - 1),
      count,
      to('Next', page + 1),
      to('Last', last),
    );
    pager.hidden = last === 1;
  }
}

function drawFilters(): void {
  filterList.replaceChildren(
    ...selection.filters.map((filter) => filterRow(filter.column, filter.operator, filter.values)),
  );
  drawAdd();
}

function drawAdd(): void {
  element<HTMLButtonElement>('#rows-add').disabled = filterList.children.length >= MOST_FILTERS;
  element<HTMLButtonElement>('#rows-apply').hidden =
    filterList.children.length === 0 && selection.filters.length === 0;
}

function filterRow(name: string, operator: Operator, values: readonly string[]): HTMLElement {
  const column = makeElement(
    'select',
    '',
    ...about.columns.map((one) => new Option(one.name, one.name, false, one.name === name)),
  );
  column.ariaLabel = 'Column';
  const how = makeElement('select', '');
  how.ariaLabel = 'Comparison';
  const fields = makeElement('span', 'row');
  const remove = makeButton('Remove', () => {
    row.remove();
    drawAdd();
    element('#rows-add').focus();
  });
  remove.className = 'quiet';
  const row = makeElement('li', 'row', column, how, fields, remove);
  const drawValues = (given: readonly string[]) => {
    const count = how.value === 'between' ? 2 : /^(empty|filled)$/.test(how.value) ? 0 : 1;
    const names = count === 2 ? ['From', 'To'] : ['Value'];
    fields.replaceChildren(
      ...names
        .slice(0, count)
        .map((label, at) => valueField(column.value, how.value, label, given[at] ?? '')),
    );
  };
  const drawOperators = (chosen: string, given: readonly string[]) => {
    const about_ = about.columns.find((one) => one.name === column.value)!;
    const words = (one: Operator) => (isTime(about_.type) && TIME_WORDS[one]) || OPERATOR_WORDS[one];
    how.replaceChildren(
      ...operatorsOf(about_).map((one) => new Option(words(one), one, false, one === chosen)),
    );
    drawValues(given);
  };
  column.addEventListener('change', () => drawOperators(how.value, []));
  how.addEventListener('change', () =>
    drawValues([...fields.querySelectorAll('input')].map(({ value }) => value)),
  );
  drawOperators(operator, values);
  return row;
}

function valueField(name: string, operator: string, label: string, value: string): HTMLElement {
  const type = typeOf(name);
  const field = makeElement('input', '');
  field.type = 'text';
  field.value = value;
  field.required = operator !== 'eq' || type !== 'text';
  field.ariaLabel = label;
  field.maxLength = 200;
  field.autocomplete = 'off';
  field.spellcheck = false;
  if (isTime(type)) {
    field.placeholder = 'YYYY-MM-DD';
    field.size = 21;
  } else if (isNumber(type)) field.inputMode = 'decimal';
  return field;
}

/** What the fields say, as the address would. */
function filtersIn(): string[] {
  return [...filterList.children].map((row) => {
    const [column, how] = [...row.querySelectorAll('select')].map(({ value }) => value);
    const values = [...row.querySelectorAll('input')].map(({ value }) => value.trim());
    return [column, how, ...(values.length > 0 ? [values.join(',')] : [])].join(':');
  });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const query = new URLSearchParams(filtersIn().map((text) => ['filter', text]));
  const { selection: typed, wrong } = parseSelection(query, about.columns);
  if (wrong.length === 0) {
    go({ ...typed, sort: selection.sort });
    return;
  }
  const words = wrong.map(
    ({ place: where, expected, found }) =>
      `${where.replace(/^filter=/, '')}: expected ${expected}; found ${found}`,
  );
  notice.replaceChildren(...words.map((one) => makeElement('p', '', one)));
  notice.hidden = false;
});
element('#rows-add').addEventListener('click', () => {
  const [first] = about.columns;
  filterList.append(filterRow(first!.name, operatorsOf(first!)[0]!, []));
  drawAdd();
  filterList.querySelector<HTMLElement>('li:last-child select')!.focus();
});
element('#rows-clear').addEventListener('click', (event) => {
  event.preventDefault();
  go({ page: 1, sort: null, filters: [] });
});
element('#rows-save').addEventListener('click', () => ask('csv'));

const copy = element<HTMLButtonElement>('#rows-copy');
const copyText = copierOf(say);
copy.hidden = copyText === null;
copy.addEventListener('click', () => copyText!(location.href, 'The address of this selection is copied.'));

followAddress(showAddress);
