import { formatBytes, formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { versionAddress } from '../../files/versions/version-address.ts';
import { makeButton, makeElement, makeLink } from '../../layout/make-element.ts';
import { saveFile } from '../../layout/save-file.ts';
import type { QueryResult } from './limits.ts';
import type { SqlJob, SqlReply } from './sql-worker.ts';

/** Bytes of files that are read without asking. */
const FREE_BYTES = 16 << 20;
const LONGEST_QUERY = 8000;

function element<T extends HTMLElement>(selector: string): T {
  const found = document.querySelector<T>(selector);
  if (!found) throw new Error(`no ${selector} in this page`);
  return found;
}

const form = element<HTMLFormElement>('#sql-form');
const editor = element<HTMLTextAreaElement>('#sql-query');
const asOfField = element<HTMLInputElement>('#sql-as-of');
const run = element<HTMLButtonElement>('#sql-run');
const cancel = element<HTMLButtonElement>('#sql-cancel');
const status = element('#sql-status');
const outcome = element('#sql-outcome');
const about = JSON.parse(form.dataset.about!) as Pick<SqlJob, 'engine' | 'tables'>;

let worker: Worker | null = null;
let result: QueryResult | null = null;
let sorted: { column: number; descending: boolean } | null = null;

function start(allowed = FREE_BYTES): void {
  const sql = editor.value.trim();
  const asOf = asOfField.value.trim();
  if (sql === '') {
    say('Write a query, or choose an example below.');
    return;
  }
  worker ??= new Worker(form.dataset.worker!, { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<SqlReply>) => take(data);
  worker.onerror = (event) => {
    stop();
    showFailure(
      `DuckDB ended unexpectedly: ${event.message || 'the browser gave no reason'}. It starts anew with the next query.`,
    );
  };
  busy(true);
  outcome.replaceChildren();
  worker.postMessage({ ...about, sql, asOf, allowed } satisfies SqlJob);
}

/** Whatever it computes: a worker cannot be interrupted otherwise. */
function stop(): void {
  worker?.terminate();
  worker = null;
  busy(false);
}

function busy(isBusy: boolean): void {
  run.disabled = isBusy;
  cancel.hidden = !isBusy;
  outcome.toggleAttribute('aria-busy', isBusy);
  if (worker) run.textContent = 'Run';
}

function say(words: string): void {
  status.textContent = words;
}

function take(reply: SqlReply): void {
  if (reply.kind === 'working') {
    say(reply.words);
    return;
  }
  busy(false);
  if (reply.kind === 'consent') askConsent(reply);
  else if (reply.kind === 'failed') showReply(reply);
  else showResult(reply);
}

function askConsent({ bytes, paths }: Extract<SqlReply, { kind: 'consent' }>): void {
  say('');
  const read = makeButton(`Read ${formatBytes(bytes)}`, () => start(bytes));
  const words = `This query reads ${formatBytes(bytes)}: ${paths.map((path) => `/${path}`).join(', ')}.`;
  outcome.replaceChildren(
    makeElement('div', 'missing', makeElement('p', '', words), makeElement('p', 'form-buttons', read)),
  );
  read.focus();
}

function showReply({ by, message, near = [] }: Extract<SqlReply, { kind: 'failed' }>): void {
  if (by === 'engine') {
    showFailure('DuckDB refuses the query:', message);
    return;
  }
  const links = near.map((id) => makeLink(`As of ${id}`, addressOf(editor.value.trim(), id)));
  showFailure(by === 'address' ? 'There are no such data:' : 'The files cannot be read:', message, ...links);
}

function showFailure(words: string, message = '', ...links: Node[]): void {
  say('');
  const block = makeElement('pre', '', makeElement('code', '', message));
  block.tabIndex = 0;
  const parts = [
    makeElement('p', '', words),
    ...(message ? [block] : []),
    ...(links.length > 0 ? [makeElement('p', 'buttons', ...links)] : []),
  ];
  const note = makeElement('div', 'missing', ...parts);
  note.setAttribute('role', 'alert');
  outcome.replaceChildren(note);
}

function addressOf(sql: string, asOf: string): string {
  const query = new URLSearchParams({ q: sql, ...(asOf && { as_of: asOf }) });
  return `${location.pathname}?${query}`;
}

function showResult({
  result: found,
  files,
  snapshot,
  ms,
  version,
}: Extract<SqlReply, { kind: 'result' }>): void {
  result = found;
  sorted = null;
  const { rows, stopped, shown } = found;
  const time = ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
  say(`${formatCount(rows, 'row')} in ${time}${stopped === null ? '' : ', then stopped'}.`);
  const notes: string[] = [];
  if (stopped !== null)
    notes.push(
      `The result was stopped at ${stopped}: it has more. The saved file has ${formatCount(rows, 'row')}. Add a LIMIT or a WHERE.`,
    );
  if (shown.length < rows)
    notes.push(
      `The table shows the first ${formatNumber(shown.length)} rows; the saved file has all ${formatNumber(rows)}.`,
    );
  const buttons = makeElement(
    'p',
    'form-buttons',
    makeButton('Save as CSV', () => saveFile('query.csv', found.csv)),
  );
  const { clipboard } = navigator as { clipboard?: Navigator['clipboard'] };
  const permanent = new URL(addressOf(editor.value.trim(), snapshot ?? ''), location.href).href;
  if (clipboard)
    buttons.append(
      makeButton('Copy the permanent link', () => {
        clipboard.writeText(permanent).then(
          () => say('The link is copied: it runs this query on these files.'),
          () => say('The browser did not allow to copy.'),
        );
      }),
    );
  outcome.replaceChildren(
    ...notes.map((words) => makeElement('p', 'missing', words)),
    buttons,
    tableOf(),
    provenance(files, version, permanent),
  );
}

function tableOf(): HTMLElement {
  const table = makeElement('table', '');
  table.id = 'sql-result';
  const head = makeElement('tr', '');
  result!.columns.forEach(({ name, isNumber }, at) => {
    const cell = makeElement(
      'th',
      isNumber ? 'number' : 'tight',
      makeButton(name, () => sort(at)),
    );
    cell.scope = 'col';
    head.append(cell);
  });
  table.append(makeElement('thead', '', head), bodyOf(result!.shown));
  const scroll = makeElement('div', 'scroll', table);
  scroll.tabIndex = 0;
  scroll.role = 'region';
  scroll.ariaLabel = 'The result';
  return scroll;
}

function bodyOf(rows: QueryResult['shown']): HTMLElement {
  return makeElement(
    'tbody',
    '',
    ...rows.map((row) =>
      makeElement(
        'tr',
        '',
        ...row.map((cell, at) => {
          if (cell === null) return makeElement('td', 'muted', 'NULL');
          return makeElement(
            'td',
            result!.columns[at]!.isNumber ? 'number' : cell.length <= 40 ? 'tight' : 'long',
            cell,
          );
        }),
      ),
    ),
  );
}

/** Sorts the rows shown: up, down, and as the query gave them. */
function sort(column: number): void {
  const first = result!.columns[column]!.isNumber;
  if (sorted?.column !== column) sorted = { column, descending: first };
  else sorted = sorted.descending === first ? { column, descending: !first } : null;
  const rows = sorted
    ? result!.shown.toSorted((one, other) => compare(one[column]!, other[column]!))
    : result!.shown;
  const table = element<HTMLTableElement>('#sql-result');
  table.tBodies[0]!.replaceWith(bodyOf(rows));
  for (const [at, head] of [...table.tHead!.rows[0]!.cells].entries()) {
    if (sorted?.column === at) head.ariaSort = sorted.descending ? 'descending' : 'ascending';
    else head.removeAttribute('aria-sort');
  }
}

function compare(one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const { column, descending } = sorted!;
  const order = result!.columns[column]!.isNumber
    ? Number(one) - Number(other)
    : one < other
      ? -1
      : Number(one > other);
  return descending ? -order : order;
}

/** What the result follows from, so that others can repeat it. */
function provenance(
  files: Extract<SqlReply, { kind: 'result' }>['files'],
  version: string,
  permanent: string,
): HTMLElement {
  const items = files.map(({ path, snapshot, sha256, bytes }) =>
    makeElement(
      'li',
      '',
      makeLink(`/${path}`, versionAddress(path, snapshot)),
      ` as of ${snapshot}, ${formatBytes(bytes)}, SHA-256 `,
      makeElement('code', '', sha256),
    ),
  );
  const words =
    files.length === 0
      ? 'The query read no file.'
      : `DuckDB ${version} read ${files.length === 1 ? 'this file' : 'these files'}, whole; the SHA-256 of each was computed here and is the one in the snapshot’s index:`;
  const again =
    files.length === 0
      ? []
      : [
          makeElement(
            'p',
            '',
            'The same query on the same files: ',
            makeLink('permanent link', permanent),
            '.',
          ),
        ];
  return makeElement(
    'div',
    'sql-provenance',
    makeElement('p', '', words),
    makeElement('ul', '', ...items),
    ...again,
  );
}

/** The address has the query, so that the back button goes to the query before. */
function remember(): void {
  const address = addressOf(editor.value.trim(), asOfField.value.trim());
  if (address !== `${location.pathname}${location.search}`) history.pushState(null, '', address);
}

function fromAddress(): void {
  const query = new URLSearchParams(location.search);
  editor.value = (query.get('q') ?? editor.defaultValue).slice(0, LONGEST_QUERY);
  asOfField.value = query.get('as_of') ?? '';
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (run.disabled) return;
  remember();
  start();
});
editor.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
cancel.addEventListener('click', () => {
  stop();
  say('Cancelled. DuckDB starts anew with the next query.');
  run.focus();
});
for (const example of document.querySelectorAll<HTMLAnchorElement>('a[data-sql]'))
  example.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    editor.value = example.dataset.sql!;
    remember();
    outcome.replaceChildren();
    // Nothing is loaded by looking at an example; once the engine is there, it answers.
    if (worker && !run.disabled) start();
    else say('');
    editor.scrollIntoView({ block: 'nearest' });
    editor.focus();
  });
addEventListener('popstate', () => {
  fromAddress();
  outcome.replaceChildren();
  say('');
});
fromAddress();
