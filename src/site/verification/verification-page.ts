import '../reference/attestations/without-eval.ts';
import '../files/file-script.ts';
import { LONGEST_PROOF } from '../../../pipeline/ledger/log/tlog-proof.ts';
import { MAX_POLICY_BYTES } from '../../../pipeline/ledger/notes/witness-policy.ts';
import { PageOrigin } from '../../../pipeline/verify/page-origin.ts';
import { takeFiles } from '../layout/take-files.ts';
import { compareHistory } from './compare-history.ts';
import { identifyFile } from './identify-file.ts';
import { proveByProof } from './prove-event.ts';
import { askedBy, endProved, eventFacts, provePasted } from './prove-pasted.ts';
import { offerToRemember, recall, showRemembered } from './remembered.ts';
import { element, Failed, Steps, Stopped, Uncheckable } from './steps.ts';
import { keysIn, type Means, verifyRelease } from './verify-release.ts';
import { keysOfPolicy, policyField, policyIn } from './witnesses.ts';

const means: Means = {
  origin: new PageOrigin(),
  publisherKeys: () => keysIn(element('#publisher-key')),
  ledgerKeys: () => keysOfPolicy(keysIn(element('#ledger-key')), means.policy),
  policy: () => policyIn(policyField()),
  recall,
  now: Date.now,
  // A release is swapped in an instant, an upload to a static host takes seconds; a reader should not wait long.
  wait: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms / 4);
    }),
};

let isBusy = false;

/** Runs one verification at a time; its results replace the previous ones. */
async function run(place: string, work: (steps: Steps) => Promise<void>): Promise<void> {
  if (isBusy) return;
  isBusy = true;
  const steps = new Steps(element(place));
  try {
    await work(steps);
  } catch (error) {
    if (error instanceof Failed) steps.end('This does not hold: see the step that failed', 'invalid');
    else if (error instanceof Uncheckable)
      steps.end('This cannot be checked: see the step that says why', 'open');
    else if (error instanceof Stopped) steps.end('Stopped before anything was found', 'open');
    else steps.end(`This page failed: ${(error as Error).message}`, 'open');
  } finally {
    isBusy = false;
  }
}

const failedWords = (steps: Steps) =>
  steps.failed === 1 ? 'one step does not hold' : `${steps.failed} steps do not hold`;

element('#release-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void run('#release-outcome', async (steps) => {
    const release = await verifyRelease(steps, means);
    if (steps.failed > 0) steps.end(`Do not rely on this release: ${failedWords(steps)}`, 'invalid');
    else if (steps.uncheckable > 0)
      steps.end('The publisher signed this release, but not all of it can be checked', 'open');
    else
      steps.end(
        'This release is what the publisher and the ledger signed',
        'valid',
        ...offerToRemember(release, policyField().value),
      );
  });
});

const notFoundWords = ({ name }: File, isOther: boolean) =>
  isOther
    ? `${name} cannot be checked: neither its hash nor its name is known here`
    : `${name} is not known to be signed, or was changed`;

takeFiles(element('#file-form'), element('#file-form'), (file) => {
  void run('#file-outcome', async (steps) => {
    const release = await verifyRelease(steps, means);
    const [failed, open] = [steps.failed, steps.uncheckable];
    const found = await identifyFile(steps, file, release, means);
    if (found === null) {
      const isOther = steps.failed === failed;
      steps.end(notFoundWords(file, isOther), isOther ? 'open' : 'invalid');
    } else if (failed > 0)
      steps.end(`${found} But not everything about that release holds: see below.`, 'invalid');
    else if (open > 0)
      steps.end(`${found} But not everything about that release can be checked: see below.`, 'open');
    else steps.end(found, 'valid');
  });
});

let chosenFile: File | null = null;
const rowsForm = element('#rows-form');
const nameChosen = (file: File) => {
  chosenFile = file;
  element('#rows-file').textContent = `The chosen file is ${file.name}.`;
};
takeFiles(element('#file-form'), element('#file-form'), nameChosen);
takeFiles(rowsForm, rowsForm, nameChosen);
element('#compare-rows').addEventListener('click', () => {
  const file = chosenFile;
  if (file)
    void run('#rows-outcome', (steps) => compareHistory(steps, file, means, rowsForm.dataset.worker!));
  else element('#file').focus();
});

takeFiles(element('#policy-form'), policyField(), (file) => {
  void file
    .slice(0, MAX_POLICY_BYTES + 1)
    .text()
    .then((text) => {
      policyField().value = text;
    });
});

let proofFile: File | null = null;
takeFiles(element('#event-form'), element('#event'), (file) => {
  proofFile = file;
  element('#proof-name').textContent = `The proof comes from ${file.name}.`;
});

element('#event-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const pasted = element<HTMLTextAreaElement>('#event').value;
  const file = proofFile;
  void run('#event-outcome', async (steps) => {
    if (!file) return provePasted(steps, pasted, means);
    const proof = await file.slice(0, LONGEST_PROOF + 1).text();
    const proved = await proveByProof(steps, pasted, proof, means);
    endProved(steps, 'The event is in the ledger’s log', ...eventFacts(proved));
  });
});
element('#event-form').addEventListener('reset', () => {
  proofFile = null;
  element('#proof-name').textContent = '';
});

/** Proves what the address asks for, as a link from a decision or from somebody else does. */
function proveAsked(): void {
  const asked = askedBy(location);
  if (asked === null) return;
  element<HTMLTextAreaElement>('#event').value = asked;
  element<HTMLFormElement>('#event-form').requestSubmit();
}

showRemembered();
if (policyField().value === '') policyField().value = recall()?.policy ?? '';
proveAsked();
addEventListener('hashchange', proveAsked);
