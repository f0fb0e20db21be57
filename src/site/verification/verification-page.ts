import { StepTool } from '../layout/show-steps.ts';
import { takeFiles } from '../layout/take-files.ts';
import { element } from '../layout/tool.ts';
import type { VerifyJob } from './verify-worker.ts';

/** One more than a policy may have, so that a longer one is refused. */
const MOST_POLICY_BYTES = 1_000_001;

const field = (selector: string) => element<HTMLTextAreaElement>(selector);
const tool = new StepTool<VerifyJob>(
  element('#key-form').dataset.worker!,
  'Stopped before anything was found',
);

function verify(place: string, asked: VerifyJob['asked']): void {
  tool.run(element(place), {
    asked,
    publisherKeys: field('#publisher-key').value,
    ledgerKeys: field('#ledger-key').value,
    policy: field('#policy').value,
    now: Date.now(),
  });
}

/** What the reader does in a form, in place of sending it. */
function onSubmit(selector: string, work: () => void): void {
  element(selector).addEventListener('submit', (event) => {
    event.preventDefault();
    work();
  });
}

onSubmit('#release-form', () => verify('#release-outcome', { kind: 'release' }));

let chosenFile: File | null = null;
const rowsForm = element('#rows-form');
const choose = (file: File) => {
  chosenFile = file;
  element('#rows-file').textContent = `The chosen file is ${file.name}.`;
};
takeFiles(element('#file-form'), element('#file-form'), (file) => {
  choose(file);
  verify('#file-outcome', { kind: 'file', file });
});
takeFiles(rowsForm, rowsForm, choose);
element('#compare-rows').addEventListener('click', () => {
  if (chosenFile) verify('#rows-outcome', { kind: 'rows', file: chosenFile });
  else element('#file').focus();
});

takeFiles(field('#policy').parentElement!, field('#policy'), async (file) => {
  field('#policy').value = await file.slice(0, MOST_POLICY_BYTES).text();
});

let proof: File | null = null;
takeFiles(element('#event-form'), element('#event'), (file) => {
  proof = file;
  element('#proof-name').textContent = `The proof comes from ${file.name}.`;
});
onSubmit('#event-form', () =>
  verify('#event-outcome', { kind: 'event', text: field('#event').value, proof }),
);
element('#event-form').addEventListener('reset', () => {
  proof = null;
  element('#proof-name').textContent = '';
});

/** What the address asks for: `?event=123`, `#row=…`; null: nothing. */
function askedBy({ search, hash }: Location): string | null {
  const row = /^#row=(.+)$/s.exec(hash)?.[1];
  if (row === undefined) return new URLSearchParams(search).get('event');
  try {
    return decodeURIComponent(row);
  } catch {
    return row;
  }
}

/** Proves what the address asks for, as a link from a decision or from somebody else does. */
function proveAsked(): void {
  const asked = askedBy(location);
  if (asked === null) return;
  field('#event').value = asked;
  element<HTMLFormElement>('#event-form').requestSubmit();
}

proveAsked();
addEventListener('hashchange', proveAsked);
