import type { Problem } from '../../../../pipeline/attestation/problem.ts';
import { MAX_BYTES, type Places, placesIn } from '../../../../pipeline/attestation/read-json.ts';
import type { Verdict } from '../../../../pipeline/attestation/verify-attestation.ts';
import type { Range } from '../../../../pipeline/ledger/events/json.ts';
import { formatMoment } from '../../../../pipeline/words/moment.ts';
import { printable } from '../../../../pipeline/words/printable.ts';
import { makeElement } from '../../layout/make-element.ts';
import { takeFiles } from '../../layout/take-files.ts';
import { element } from '../../layout/tool.ts';
import type { Ask } from './attestations-worker.ts';
import { CHECK_WORDS, RESULT_WORDS } from './verdict-words.ts';

/**
 * Makes the form verify documents that are pasted, dropped or chosen. Only the refresh button sends a request. `trust` gives it the
 * registry, as JSON.
 */
export function beginVerifying(
  ask: Ask,
  fetchRegistry: () => Promise<string>,
): { trust: (registry: string) => void } {
  const form = element('#verify-form');
  const text = element<HTMLTextAreaElement>('#document');
  const place = element('#verdict');
  const said = element('#registry-time');
  /** The bytes of a file, which are what was signed; null for typed text. */
  let taken: { name: string; bytes: Uint8Array } | null = null;
  const failed = (message: string) => showFailed(place, message);
  const verify = () => {
    const file = taken;
    ask(
      { kind: 'verify', document: file?.bytes ?? text.value, now: Date.now() },
      ({ verdict, isReliable }) => showVerdict(place, verdict, isReliable, text, file?.name ?? null),
      failed,
    );
  };
  const take = async (file: File) => {
    const { name } = file;
    try {
      // One byte over the limit is enough to detect a document that is too long.
      taken = { name, bytes: new Uint8Array(await file.slice(0, MAX_BYTES + 1).arrayBuffer()) };
    } catch {
      // A folder or a deleted file. The previous verdict must not appear to apply to it.
      return failed(
        `The browser cannot read ${printable(name)}. It is a folder, or it no longer exists. Nothing was verified.`,
      );
    }
    text.value = new TextDecoder().decode(taken.bytes);
    verify();
  };
  text.addEventListener('input', () => {
    taken = null;
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    verify();
  });
  takeFiles(form, text, (file) => void take(file));
  const trust = (registry: string, done: (timestamp: string) => void = () => {}) =>
    ask({ kind: 'registry', text: registry }, ({ timestamp }) => done(timestamp), failed);
  element('#refresh').addEventListener('click', () => {
    fetchRegistry().then(
      (registry) =>
        trust(registry, (timestamp) => {
          said.textContent = `Keys and ledger as of ${formatMoment(timestamp)}, from the service.`;
        }),
      (error: Error) => {
        said.textContent = `The service did not answer: ${error.message} The page still uses the registry that it has.`;
      },
    );
  });
  return { trust };
}

/**
 * Replaces the previous verdict. Each problem has a button that selects its place in the text. `file` is the name of the
 * verified file; null for pasted text.
 */
function showVerdict(
  place: HTMLElement,
  { summary, status, id, uuid, checks, problems, warnings }: Verdict,
  isReliable: boolean,
  text: HTMLTextAreaElement,
  file: string | null,
): void {
  const facts = {
    ...(file !== null && { File: printable(file) }),
    ...(id !== null && { Id: id, UUID: uuid ?? '', Status: status }),
  };
  show(
    place,
    verdictTitle(isReliable, summary),
    ...problemList('Problems', problems, text),
    ...problemList('Warnings', warnings, text),
    ...(Object.keys(facts).length > 0 ? [factList(facts)] : []),
    checkTable(checks),
  );
}

/** Says why there is no verdict. */
function showFailed(place: HTMLElement, message: string): void {
  show(place, verdictTitle(false, 'No verdict'), makeElement('p', '', message));
}

function verdictTitle(isReliable: boolean, words: string): HTMLElement {
  return makeElement('h3', `verdict-title ${isReliable ? 'is-valid' : 'is-invalid'}`, words);
}

/** Replaces what is in the place, and moves the focus to its title. */
export function show(place: HTMLElement, title: HTMLElement, ...more: readonly HTMLElement[]): void {
  title.tabIndex = -1;
  place.replaceChildren(title, ...more);
  place.hidden = false;
  title.focus({ preventScroll: true });
  title.scrollIntoView({ block: 'nearest' });
}

function problemList(title: string, problems: readonly Problem[], text: HTMLTextAreaElement): HTMLElement[] {
  if (problems.length === 0) return [];
  const places = placesIn(text.value);
  const items = problems.map(({ code, pointer, message }) =>
    makeElement(
      'li',
      '',
      placeElement(pointer, places, text),
      makeElement('span', '', ` ${printable(message)} `),
      makeElement('code', 'muted', code),
    ),
  );
  return [makeElement('h4', '', title), makeElement('ul', 'places', ...items)];
}

/** The place of a problem, with a button that selects it if it is part of the text. */
function placeElement(pointer: string, places: Places, text: HTMLTextAreaElement): HTMLElement {
  const words = pointer === '' ? 'the whole document' : printable(pointer);
  if (placeOfPointer(places, pointer) === null) return makeElement('code', 'place', words);
  const button = makeElement('button', 'place', pointer === '' ? 'the place' : words);
  button.type = 'button';
  button.setAttribute('aria-label', `${button.textContent}: select it in the text`);
  button.addEventListener('click', () => {
    // The text may have changed since.
    const range = placeOfPointer(placesIn(text.value), pointer);
    if (range) showPlace(text, range);
  });
  return button;
}

function factList(facts: Readonly<Record<string, string>>): HTMLElement {
  const entries = Object.entries(facts).flatMap(([name, value]) => [
    makeElement('dt', '', name),
    makeElement('dd', '', makeElement('code', '', value)),
  ]);
  return makeElement('dl', 'facts', ...entries);
}

function checkTable(checks: Verdict['checks']): HTMLElement {
  const table = makeElement('table', 'checks');
  table.append(makeElement('caption', '', makeElement('strong', '', 'Each check')));
  const head = ['Check', 'Result', 'Detail'].map((text) => columnHead(text));
  table.createTHead().append(makeElement('tr', '', ...head));
  const rows = checks.map(({ name, result, detail }) => {
    const heading = makeElement('th', '', CHECK_WORDS[name].name);
    heading.scope = 'row';
    const cell = makeElement('td', `result ${result}`, RESULT_WORDS[result]);
    return makeElement('tr', '', heading, cell, makeElement('td', '', printable(detail)));
  });
  table.append(makeElement('tbody', '', ...rows));
  return table;
}

function columnHead(text: string): HTMLElement {
  const cell = makeElement('th', '', text);
  cell.scope = 'col';
  return cell;
}

/** Selects a part of the text, with focus, and scrolls it into view. */
function showPlace(text: HTMLTextAreaElement, { start, end }: Range): void {
  text.focus();
  text.setSelectionRange(start, end);
  // Some browsers do not scroll to a selection made by a script.
  text.scrollTop = heightOf(text, start) - text.clientHeight / 2;
}

/** The height of the first characters of the text as wrapped, px. */
function heightOf(text: HTMLTextAreaElement, characters: number): number {
  const copy = text.cloneNode() as HTMLTextAreaElement;
  copy.removeAttribute('id');
  copy.classList.add('measured');
  copy.style.width = `${text.offsetWidth}px`;
  copy.value = text.value.slice(0, characters);
  text.after(copy);
  const { scrollHeight } = copy;
  copy.remove();
  return scrollHeight;
}

/**
 * The part of a document's text that a problem at `pointer` refers to: the value with its name, the enclosing object of a
 * missing member, or the place where parsing stopped. Null for the whole document.
 */
function placeOfPointer({ values, stop }: Places, pointer: string): Range | null {
  if (stop) return stop;
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const range = values.get(at);
    if (range) return range;
  }
  return null;
}
