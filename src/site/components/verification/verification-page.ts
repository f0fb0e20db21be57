import '../attestations/without-eval.ts';
import '../files/file-script.ts';
import { LONGEST_PROOF } from '../../../../pipeline/ledger/log/tlog-proof.ts';
import { makeElement } from '../attestations/make-element.ts';
import { takeFiles } from '../take-files.ts';
import { element } from './element.ts';
import { NOT_PROVED } from './event-words.ts';
import { identifyFile } from './identify-file.ts';
import { beginRemembering, offerToRemember } from './memory.ts';
import { PageOrigin } from './page-origin.ts';
import { type ProvedEvent, proveByLog, proveByProof } from './prove-event.ts';
import { recall } from './remembered.ts';
import { Failed, Steps, Stopped, Uncheckable } from './steps.ts';
import { keysIn } from './trust.ts';
import { type Means, verifyRelease } from './verify-release.ts';

const means: Means = {
  origin: new PageOrigin(),
  publisherKeys: () => keysIn(element('#publisher-key')),
  ledgerKeys: () => keysIn(element('#ledger-key')),
  recall,
  now: Date.now,
  // Releases are swapped in a moment; on hosts that are uploaded to, a run of seconds.
  wait: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms / 4);
    }),
};

let isBusy = false;

/** One thing at a time; what was found before gives its place to what is found now. */
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
    else if (error instanceof Stopped) steps.end('Stopped, with nothing found yet', 'open');
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
      steps.end('The publisher has signed this release, but not all of it can be checked', 'open');
    else
      steps.end(
        'This release is what the publisher and the ledger have signed',
        'valid',
        ...offerToRemember(release),
      );
  });
});

const notFoundWords = ({ name }: File, isOther: boolean) =>
  isOther
    ? `${name} cannot be checked: neither its hash nor its name is known here`
    : `${name} is no file that is known to be signed, or it was changed`;

takeFiles(element('#file-form'), element('#file-form'), (file) => {
  void run('#file-outcome', async (steps) => {
    const release = await verifyRelease(steps, means);
    const [faults, open] = [steps.failed, steps.uncheckable];
    const found = await identifyFile(steps, file, release, means);
    if (found === null) {
      const isOther = steps.failed === faults;
      steps.end(notFoundWords(file, isOther), isOther ? 'open' : 'invalid');
    } else if (faults > 0) steps.end(`${found} But about that release, not all holds: see below.`, 'invalid');
    else if (open > 0) steps.end(`${found} But not all of that release can be checked: see below.`, 'open');
    else steps.end(found, 'valid');
  });
});

let proofFile: File | null = null;
takeFiles(element('#event-form'), element('#event'), (file) => {
  proofFile = file;
  element('#proof-name').textContent = `The proof is taken from ${file.name}.`;
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
  const link = makeElement('a', '', 'Save the proof, for others or for later');
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

beginRemembering();
