import type { Drafted } from '../../../../pipeline/attestation/check-draft.ts';
import { type Places, placesIn } from '../../../../pipeline/attestation/limited-json.ts';
import type { Problem } from '../../../../pipeline/attestation/problem.ts';
import { SUMMARIES, type Verdict } from '../../../../pipeline/attestation/verify-attestation.ts';
import type { Range } from '../../../../pipeline/ledger/events/json.ts';
import { printable } from '../../../../pipeline/words/printable.ts';
import { codePart, factsPart, type Part, part, savePart, tablePart } from '../../layout/worker-parts.ts';
import { CHECK_WORDS, RESULT_WORDS } from './verdict-words.ts';

/** What came of a form. */
export interface Outcome {
  title: string;
  /** The class of its title. */
  mark: 'is-valid' | 'is-invalid' | '';
  parts: readonly Part[];
}

/** `file`: the name of the file that was verified; null for pasted text. */
export function verdictOutcome(verdict: Verdict, text: string, file: string | null): Outcome {
  const { summary, status, id, uuid, checks, problems, warnings } = verdict;
  const facts: (readonly [string, string])[] = [
    ...(file === null ? [] : [['File', printable(file)] as const]),
    ...(id === null
      ? []
      : ([
          ['Id', id],
          ['UUID', uuid ?? ''],
          ['Status', `${status}`],
        ] as const)),
  ];
  const rows = checks.map(({ name, result, detail }) => [
    CHECK_WORDS[name].name,
    part('span', { class: `result ${result}` }, RESULT_WORDS[result]),
    printable(detail),
  ]);
  return {
    title: summary,
    mark: summary === SUMMARIES.active ? 'is-valid' : 'is-invalid',
    parts: [
      ...problemParts('Problems', problems, text),
      ...problemParts('Warnings', warnings, text),
      ...(facts.length > 0 ? [factsPart('facts', facts)] : []),
      tablePart('Each check', ['Check', 'Result', 'Detail'], rows),
    ],
  };
}

/** `text`: the document, formatted. */
export function draftOutcome({ problems, walletText, walletNote }: Drafted, text: string): Outcome {
  const isGood = problems.length === 0;
  const file = new Blob([`${text}\n`], { type: 'application/json' });
  return {
    title: isGood ? 'Unsigned document' : 'The document is incomplete or invalid',
    mark: isGood ? '' : 'is-invalid',
    parts: [
      ...(isGood
        ? [
            copyPart('the document', text),
            part('p', { class: 'sans' }, savePart('Save as draft.json', 'draft.json', file)),
          ]
        : problemParts('', problems, '')),
      ...(walletNote === null ? [] : [part('p', {}, walletNote)]),
      ...(walletText === null ? [] : [part('p', {}, WALLET), copyPart('what the wallet signs', walletText)]),
    ],
  };
}

const WALLET =
  'Before the companion signs it, the wallet of the ledger id must sign these five lines (EIP-191, personal_sign). Then enter the wallet’s signature above. The dates stay as shown here.';

/** The page adds the button. */
function copyPart(name: string, text: string): Part {
  return part('div', { class: 'copyable', 'data-copy': name }, codePart(name, text));
}

function problemParts(title: string, problems: readonly Problem[], text: string): Part[] {
  if (problems.length === 0) return [];
  const places = placesIn(text);
  const items = problems.map(({ code, pointer, message }) =>
    part(
      'li',
      {},
      placePart(pointer, places),
      part('span', {}, ` ${printable(message)} `),
      part('code', { class: 'muted' }, code),
    ),
  );
  return [...(title === '' ? [] : [part('h4', {}, title)]), part('ul', { class: 'places' }, ...items)];
}

/** The place of a problem: a button that selects it, if it is part of the text. */
function placePart(pointer: string, places: Places): Part {
  const range = rangeOf(places, pointer);
  if (!range)
    return part('code', { class: 'place' }, pointer === '' ? 'the whole document' : printable(pointer));
  const words = pointer === '' ? 'the place' : printable(pointer);
  const selected = { 'data-start': `${range.start}`, 'data-end': `${range.end}` };
  const label = `${words}: select it in the text`;
  return part('button', { type: 'button', class: 'place', 'aria-label': label, ...selected }, words);
}

/**
 * The part of a document's text that a problem at `pointer` refers to: the value with its name, the enclosing object of a
 * missing member, or the place where parsing stopped. Null for the whole document.
 */
function rangeOf({ values, stop }: Places, pointer: string): Range | null {
  if (stop) return stop;
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const range = values.get(at);
    if (range) return range;
  }
  return null;
}
