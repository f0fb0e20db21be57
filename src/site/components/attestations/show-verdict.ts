import { printable } from '../../../../pipeline/attestation/printable.ts';
import type { Problem } from '../../../../pipeline/attestation/problem.ts';
import { type Places, placesIn } from '../../../../pipeline/attestation/read-json.ts';
import { SUMMARIES, type Verdict } from '../../../../pipeline/attestation/verify-attestation.ts';
import { makeElement } from './make-element.ts';
import { placeOfPointer } from './place-of-pointer.ts';
import { showPlace } from './show-place.ts';
import { CHECK_WORDS, RESULT_WORDS } from './verdict-words.ts';

/**
 * Puts the verdict in the place of the one before; from each problem a button leads to its place in the text. `file`: the name
 * of the one that it is about, of several that were dropped; null for a text.
 */
export function showVerdict(
  place: HTMLElement,
  verdict: Verdict,
  text: HTMLTextAreaElement,
  file: string | null,
): void {
  const { summary, status, id, uuid, checks, problems, warnings } = verdict;
  const facts = {
    ...(file !== null && { File: printable(file) }),
    ...(id !== null && { Id: id, UUID: uuid ?? '', Status: status }),
  };
  show(
    place,
    verdictTitle(summary === SUMMARIES.active, summary),
    ...problemList('What is wrong, and where', problems, text),
    ...problemList('Worth a look', warnings, text),
    ...(Object.keys(facts).length > 0 ? [factList(facts)] : []),
    checkTable(checks),
  );
}

/** Says of a file that it cannot be read. */
export function showUnread(place: HTMLElement, file: string): void {
  const words = `The browser cannot read ${printable(file)}: it is a folder, or it is not there any more. Nothing was verified.`;
  show(place, verdictTitle(false, 'No verdict'), makeElement('p', '', words));
}

function verdictTitle(isReliable: boolean, words: string): HTMLElement {
  return makeElement('h3', `verdict-title ${isReliable ? 'is-valid' : 'is-invalid'}`, words);
}

function show(place: HTMLElement, title: HTMLElement, ...more: readonly HTMLElement[]): void {
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

/** The place in words; where it is a part of the text, a button that selects it there. */
function placeElement(pointer: string, places: Places, text: HTMLTextAreaElement): HTMLElement {
  const words = pointer === '' ? 'the whole document' : printable(pointer);
  if (placeOfPointer(places, pointer) === null) return makeElement('code', 'place', words);
  const button = makeElement('button', 'place', pointer === '' ? 'the place' : words);
  button.type = 'button';
  button.setAttribute('aria-label', `${button.textContent}: select it in the text`);
  button.addEventListener('click', () => {
    // The text may have been changed since.
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
  const head = ['Check', 'Result', 'What was found'].map((text) => columnHead(text));
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
