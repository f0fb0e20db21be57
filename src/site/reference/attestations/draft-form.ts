import type { Drafted } from '../../../../pipeline/attestation/check-draft.ts';
import type { Algorithm } from '../../../../pipeline/attestation/document.ts';
import type { NewDocument } from '../../../../pipeline/attestation/new-document.ts';
import type { Problem } from '../../../../pipeline/attestation/problem.ts';
import { printable } from '../../../../pipeline/words/printable.ts';
import { addCopyButton } from '../../files/copy-button.ts';
import { makeElement } from '../../layout/make-element.ts';
import type { Ask } from './attestations-worker.ts';
import { show } from './verify-form.ts';

/** Makes the form create an unsigned document and hash its justification. */
export function beginDrafting(ask: Ask): void {
  const form = document.querySelector<HTMLFormElement>('#draft-form');
  const place = document.querySelector<HTMLElement>('#draft');
  if (!form || !place) return;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const job = {
      kind: 'draft',
      given: readForm(form),
      justification: textOf(form, 'justification'),
      now: Date.now(),
    } as const;
    ask(
      job,
      ({ drafted, text }) => showDraft(place, drafted, text),
      (message) => show(place, title(false, 'No document'), makeElement('p', '', message)),
    );
  });
}

function readForm(form: HTMLFormElement): Omit<NewDocument, 'justification'> {
  const text = (name: string) => textOf(form, name);
  const number = (name: string) => (text(name) === null ? null : Number(text(name)));
  return {
    draft: {},
    companion: text('companion'),
    algorithm: text('algorithm') as Algorithm | null,
    ledgerId: text('ledger-id'),
    scope: text('scope'),
    risk: text('risk'),
    riskReason: text('risk-justification'),
    hashOnly: isChecked(form, 'hash-only'),
    walletSignature: text('wallet-signature'),
    days: number('days'),
    expiresAt: text('expires-at'),
    ccr: number('ccr-score'),
    threshold: number('drift-threshold'),
    interval: text('check-interval'),
    unwatched: isChecked(form, 'without-drift-monitoring'),
    context: text('request-context'),
    previous: text('previous'),
    trail: text('audit-trail-id'),
  };
}

/** Null for an empty field. */
function textOf(form: HTMLFormElement, name: string): string | null {
  const value = new FormData(form).get(name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function isChecked(form: HTMLFormElement, name: string): boolean {
  return new FormData(form).has(name);
}

function showDraft(place: HTMLElement, { problems, walletText, walletNote }: Drafted, text: string): void {
  const isGood = problems.length === 0;
  show(
    place,
    title(isGood, isGood ? 'Unsigned document' : 'The document is incomplete or invalid'),
    ...(isGood ? [block(text, 'the document'), download(text)] : [faultList(problems)]),
    ...(walletNote === null ? [] : [makeElement('p', '', walletNote)]),
    ...(walletText === null ? [] : walletBlock(walletText)),
  );
}

function title(isGood: boolean, words: string): HTMLElement {
  return makeElement('h3', isGood ? '' : 'is-invalid', words);
}

function walletBlock(text: string): HTMLElement[] {
  const words =
    'Before the companion signs it, the wallet of the ledger id must sign these five lines (EIP-191, personal_sign). Then enter the wallet’s signature above. The dates stay as shown here.';
  return [makeElement('p', '', words), block(text, 'what the wallet signs')];
}

function faultList(problems: readonly Problem[]): HTMLElement {
  const items = problems.map(({ pointer, message }) =>
    makeElement('li', '', makeElement('code', 'place', printable(pointer)), ` ${printable(message)}`),
  );
  return makeElement('ul', 'places', ...items);
}

function block(text: string, name: string): HTMLElement {
  const copyable = makeElement('div', 'copyable', makeElement('pre', '', makeElement('code', '', text)));
  copyable.dataset.copy = name;
  const { clipboard } = navigator as { clipboard?: Navigator['clipboard'] };
  if (clipboard) addCopyButton(copyable, clipboard);
  return copyable;
}

function download(text: string): HTMLElement {
  const link = makeElement('a', '', 'Save as draft.json');
  link.href = URL.createObjectURL(new Blob([`${text}\n`], { type: 'application/json' }));
  link.download = 'draft.json';
  return makeElement('p', 'sans', link);
}
