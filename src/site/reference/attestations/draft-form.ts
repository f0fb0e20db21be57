import { checkDraft, type Drafted } from '../../../../pipeline/attestation/check-draft.ts';
import type { Companions } from '../../../../pipeline/attestation/companions.ts';
import type { Algorithm } from '../../../../pipeline/attestation/document.ts';
import { formatDocument } from '../../../../pipeline/attestation/document.ts';
import {
  type NewDocument,
  newDocument,
  signatureClaim,
} from '../../../../pipeline/attestation/new-document.ts';
import type { Problem } from '../../../../pipeline/attestation/problem.ts';
import { type Json, readJson } from '../../../../pipeline/attestation/read-json.ts';
import { printable } from '../../../../pipeline/words/printable.ts';
import { addCopyButton } from '../../files/copy-button.ts';
import { makeElement } from '../../layout/make-element.ts';

/** Makes the form create an unsigned document and hash its justification. `wallets` are the known ones. */
export function beginDrafting(wallets: Companions['wallets']): void {
  const form = document.querySelector<HTMLFormElement>('#draft-form');
  const place = document.querySelector<HTMLElement>('#draft');
  if (!form || !place) return;
  /** The creation time of each request, which stays fixed so that the wallet's signature remains valid. */
  const times = new Map<string, number>();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const { justification, problem } = readJustification(form);
    const given = readForm(form, justification);
    const request = signatureClaim(newDocument(given, 0));
    const at = times.get(request) ?? Date.now();
    times.set(request, at);
    const drafted = checkDraft(newDocument(given, at), Date.now(), { wallets });
    const unread = problem ? [{ ...problem, pointer: `/epicon_ej${problem.pointer}` }] : [];
    showDraft(place, { ...drafted, problems: [...unread, ...drafted.problems] });
  });
}

function readJustification(form: HTMLFormElement): { justification: Json; problem: Problem | null } {
  const text = textOf(form, 'justification');
  if (text === null) return { justification: null, problem: null };
  const { value, problem } = readJson(text);
  return { justification: value, problem };
}

function readForm(form: HTMLFormElement, justification: Json): NewDocument {
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
    justification,
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

function showDraft(place: HTMLElement, { document, problems, walletText, walletNote }: Drafted): void {
  const text = formatDocument(document);
  const isGood = problems.length === 0;
  const words = isGood ? 'Unsigned document' : 'The document is incomplete or invalid';
  const title = makeElement('h3', isGood ? '' : 'is-invalid', words);
  title.tabIndex = -1;
  place.replaceChildren(
    title,
    ...(isGood ? [block(text, 'the document'), download(text)] : [faultList(problems)]),
    ...(walletNote === null ? [] : [makeElement('p', '', walletNote)]),
    ...(walletText === null ? [] : walletBlock(walletText)),
  );
  place.hidden = false;
  title.focus({ preventScroll: true });
  title.scrollIntoView({ block: 'nearest' });
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
