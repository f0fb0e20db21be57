import { formatBytes, formatCount, formatNumber } from '../../../../pipeline/words/number.ts';
import { versionAddress } from '../../files/versions/version-address.ts';
import { makeButton, makeElement, makeLink } from '../../layout/make-element.ts';
import { codePart, linkPart, type Part, part, tablePart } from '../../layout/part.ts';
import { saveFile } from '../../layout/save-file.ts';
import { copierOf, drawPart, element, followAddress, putAddress, Tool } from '../../layout/tool.ts';
import type { SqlAnswer, SqlJob } from './sql-worker.ts';

/** Bytes of files that are read without asking. */
const FREE_BYTES = 16 << 20;
const LONGEST_QUERY = 8000;

const form = element<HTMLFormElement>('#sql-form');
const editor = element<HTMLTextAreaElement>('#sql-query');
const asOfField = element<HTMLInputElement>('#sql-as-of');
const run = element<HTMLButtonElement>('#sql-run');
const status = element('#sql-status');
const outcome = element('#sql-outcome');
const about = JSON.parse(form.dataset.about!) as Pick<SqlJob, 'engine' | 'tables'>;

const tool = new Tool<SqlJob, SqlAnswer>({
  script: form.dataset.worker!,
  place: outcome,
  notice: element('#sql-notice'),
  free: FREE_BYTES,
  cancelled: 'DuckDB starts anew with the next query.',
  busy: (isBusy) => {
    run.disabled = isBusy;
    if (tool.isOpen) run.textContent = 'Run';
  },
});

const say = (words: string) => {
  status.textContent = words;
};

function start(): void {
  const sql = editor.value.trim();
  const asOf = asOfField.value.trim();
  clear();
  if (sql === '') {
    say('Write a query, or choose an example below.');
    return;
  }
  const job = (allowed: number): SqlJob => ({ ...about, sql, asOf, allowed });
  tool.run('Loading DuckDB …', job, {
    done: (answer) => (answer.kind === 'refused' ? showRefusal(answer) : showResult(answer)),
    failed: (message) => showFault('The files cannot be read:', message),
  });
}

function clear(): void {
  outcome.replaceChildren();
  say('');
}

function showRefusal({ by, message, near }: Extract<SqlAnswer, { kind: 'refused' }>): void {
  const links = near.map((id) => makeLink(`As of ${id}`, addressOf(editor.value.trim(), id)));
  const words = by === 'address' ? 'There are no such data:' : 'DuckDB refuses the query:';
  showFault(words, message, ...(links.length > 0 ? [makeElement('p', 'buttons', ...links)] : []));
}

function showFault(words: string, message: string, ...more: readonly Node[]): void {
  const note = makeElement(
    'div',
    'missing',
    makeElement('p', '', words),
    drawPart(codePart(words, message)),
    ...more,
  );
  note.setAttribute('role', 'alert');
  outcome.replaceChildren(note);
}

function addressOf(sql: string, asOf: string): string {
  const query = new URLSearchParams({ q: sql, ...(asOf && { as_of: asOf }) });
  return `${location.pathname}?${query}`;
}

type Result = Extract<SqlAnswer, { kind: 'result' }>;

function showResult(answer: Result): void {
  const { result, snapshot, ms } = answer;
  const { rows, stopped } = result;
  const time = ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
  say(`${formatCount(rows, 'row')} in ${time}${stopped === null ? '' : ', then stopped'}.`);
  const permanent = new URL(addressOf(editor.value.trim(), snapshot ?? ''), location.href).href;
  const copy = copierOf(say);
  const buttons = makeElement(
    'p',
    'form-buttons',
    makeButton('Save as CSV', () => saveFile('query.csv', result.csv)),
    copy &&
      makeButton('Copy the permanent link', () =>
        copy(permanent, 'The link is copied: it runs this query on these files.'),
      ),
  );
  const notes = notesOn(answer).map((words) => makeElement('p', 'missing', words));
  outcome.replaceChildren(...notes, buttons, tableOf(answer), drawPart(provenance(answer, permanent)));
}

/** Where the table is not all of the result. */
function notesOn({ result: { rows, stopped, shown } }: Result): string[] {
  const all = formatNumber(rows);
  return [
    ...(stopped === null
      ? []
      : [
          `The result was stopped at ${stopped}: it has more. The saved file has ${formatCount(rows, 'row')}. Add a LIMIT or a WHERE.`,
        ]),
    ...(shown.length < rows
      ? [`The table shows the first ${formatNumber(shown.length)} rows; the saved file has all ${all}.`]
      : []),
  ];
}

function tableOf({ result: { columns, shown } }: Result): HTMLElement {
  const numbers = new Set(columns.flatMap(({ isNumber }, at) => (isNumber ? [at] : [])));
  const names = columns.map(({ name }) => name);
  const scroll = drawPart(tablePart('The result', names, shown, numbers));
  scroll.querySelector('table')!.id = 'sql-result';
  return scroll;
}

/** What the result follows from, so that others can repeat it. */
function provenance({ files, version }: Result, permanent: string): Part {
  if (files.length === 0)
    return part('div', { class: 'sql-provenance' }, part('p', {}, 'The query read no file.'));
  const items = files.map(({ path, snapshot, sha256, bytes }) =>
    part(
      'li',
      {},
      linkPart(`/${path}`, versionAddress(path, snapshot)),
      ` as of ${snapshot}, ${formatBytes(bytes)}, SHA-256 `,
      part('code', {}, sha256),
    ),
  );
  const words = `DuckDB ${version} read ${files.length === 1 ? 'this file' : 'these files'}, whole; the SHA-256 of each was computed here and is the one in the snapshot’s index:`;
  return part(
    'div',
    { class: 'sql-provenance' },
    part('p', {}, words),
    part('ul', {}, ...items),
    part('p', {}, 'The same query on the same files: ', linkPart('permanent link', permanent), '.'),
  );
}

/** The address has the query, so that the back button goes to the query before. */
const remember = () => putAddress(addressOf(editor.value.trim(), asOfField.value.trim()));

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (run.disabled) return;
  remember();
  start();
});
editor.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
for (const example of document.querySelectorAll<HTMLAnchorElement>('a[data-sql]'))
  example.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    editor.value = example.dataset.sql!;
    remember();
    clear();
    // Nothing is loaded by looking at an example; once the engine is there, it answers.
    if (tool.isOpen && !run.disabled) start();
    editor.scrollIntoView({ block: 'nearest' });
    editor.focus();
  });
followAddress(() => {
  const query = new URLSearchParams(location.search);
  editor.value = (query.get('q') ?? editor.defaultValue).slice(0, LONGEST_QUERY);
  asOfField.value = query.get('as_of') ?? '';
  clear();
});
