import '../attestations/without-eval.ts';
import '../files/file-script.ts';
import { LONGEST_PROOF } from '../../../../pipeline/ledger/log/tlog-proof.ts';
import { PageOrigin } from '../../../../pipeline/verify/page-origin.ts';
import { makeElement } from '../attestations/make-element.ts';
import { takeFiles } from '../take-files.ts';
import { identifyFile } from './identify-file.ts';
import { NOT_PROVED, type ProvedEvent, proveByLog, proveByProof } from './prove-event.ts';
import { offerToRemember, recall, showRemembered } from './remembered.ts';
import { element, Failed, Steps, Stopped, Uncheckable } from './steps.ts';
import { keysIn, type Means, verifyRelease } from './verify-release.ts';

const means: Means = {
  origin: new PageOrigin(),
  publisherKeys: () => keysIn(element('#publisher-key')),
  ledgerKeys: () => keysIn(element('#ledger-key')),
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
        ...offerToRemember(release),
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
    const proved = file
      ? await proveByProof(steps, pasted, await file.slice(0, LONGEST_PROOF + 1).text(), means)
      : await proveByLog(steps, pasted, means);
    steps.end('The event is in the ledger’s log', 'valid', ...eventFacts(proved));
  });
});
element('#event-form').addEventListener('reset', () => {
  proofFile = null;
  element('#proof-name').textContent = '';
});

function eventFacts({ event, index, checkpoint, proof }: ProvedEvent): Node[] {
  const { origin, size, root } = checkpoint;
  const proved = `An event with the hash 0x${event.hash} is number ${index} of the log ${origin}, in its tree of ${size} events with the root ${root}.`;
  const link = makeElement('a', '', 'Save the proof for others or for later');
  link.href = URL.createObjectURL(new Blob([proof], { type: 'text/plain' }));
  link.download = 'event.tlog-proof';
  return [
    makeElement(
      'dl',
      'facts',
      makeElement('dt', '', 'Proved'),
      makeElement('dd', '', proved),
      makeElement('dt', '', 'Not proved'),
      makeElement('dd', '', NOT_PROVED[event.kind]),
    ),
    makeElement('p', 'sans', link),
  ];
}

showRemembered();
