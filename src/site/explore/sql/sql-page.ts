import { makeButton, makeElement } from '../../layout/make-element.ts';
import { saveFile } from '../../layout/save-file.ts';
import { copierOf, drawPart, element, followAddress, putAddress, Tool } from '../../layout/tool.ts';
import type { SqlAnswer } from './answer-parts.ts';
import { sqlAddress } from './limits.ts';
import type { SqlJob } from './sql-worker.ts';

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

const isBusy = () => run.ariaDisabled === 'true';

const tool = new Tool<SqlJob, SqlAnswer>({
  script: form.dataset.worker!,
  place: outcome,
  notice: element('#sql-notice'),
  free: FREE_BYTES,
  cancelled: 'DuckDB starts again with the next query.',
  busy: (isBusy) => {
    // A button that is disabled loses the focus.
    run.ariaDisabled = String(isBusy);
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
  tool.run('Loading DuckDB …', (allowed) => ({ ...about, sql, asOf, allowed }), { done: show });
}

function clear(): void {
  outcome.replaceChildren();
  say('');
}

function show({ words, parts, result }: SqlAnswer): void {
  say(words);
  outcome.replaceChildren(...(result ? [buttonsOf(result)] : []), ...parts.map(drawPart));
}

function buttonsOf({ csv, permanent }: NonNullable<SqlAnswer['result']>): HTMLElement {
  const copy = copierOf(say);
  return makeElement(
    'p',
    'buttons',
    makeButton('Save as CSV', () => saveFile('query.csv', csv)),
    copy &&
      makeButton('Copy the permanent link', () =>
        copy(permanent, 'The link is copied: it runs this query on these files.'),
      ),
  );
}

/** The address has the query, so that the back button goes to the query before. */
const remember = () => putAddress(sqlAddress(editor.value.trim(), asOfField.value.trim()));

form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (isBusy()) return;
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
    if (tool.isOpen && !isBusy()) start();
    editor.scrollIntoView({ block: 'nearest' });
    editor.focus();
  });
followAddress(() => {
  const query = new URLSearchParams(location.search);
  editor.value = (query.get('q') ?? editor.defaultValue).slice(0, LONGEST_QUERY);
  asOfField.value = query.get('as_of') ?? '';
  clear();
});
