import { LONGEST_PROOF } from '../../../pipeline/ledger/log/tlog-proof.ts';
import { type Ending, type StepNews, Steps } from '../layout/steps.ts';
import { answerJobs } from '../layout/worker-jobs.ts';
import { compareHistory } from './compare-history.ts';
import { identifyFile } from './identify-file.ts';
import { proveByProof, provePasted } from './prove-pasted.ts';
import { type Means, meansOf, type TrustFields } from './trust.ts';
import { verifyRelease } from './verify-release.ts';

/** What the reader wants to know, and the fields with what the reader trusts. */
export interface VerifyJob extends TrustFields {
  asked: Asked;
}

type Asked =
  | { kind: 'release' }
  /** What a file is that the reader has. */
  | { kind: 'file'; file: File }
  /** Whether each row of it follows from the log. */
  | { kind: 'rows'; file: File }
  /** `proof`: of the event that the text is; null: it is looked for. */
  | { kind: 'event'; text: string; proof: File | null };

const WORDS = {
  failed: 'This does not hold: see the step that failed',
  uncheckable: 'This cannot be checked: see the step that says why',
};

answerJobs<VerifyJob, Ending, StepNews>(({ asked, ...trusted }, tell) => {
  const means = meansOf(trusted);
  return Steps.run(tell, (steps) => answer(steps, asked, means), WORDS);
});

async function answer(steps: Steps, asked: Asked, means: Means): Promise<void> {
  if (asked.kind === 'release') return showRelease(steps, means);
  if (asked.kind === 'file') return showFile(steps, asked.file, means);
  if (asked.kind === 'rows') return compareHistory(steps, asked.file, means);
  const { text, proof } = asked;
  if (!proof) return provePasted(steps, text, means);
  const given = await proof.slice(0, LONGEST_PROOF + 1).text();
  return proveByProof(steps, text, given, means);
}

async function showRelease(steps: Steps, means: Means): Promise<void> {
  await verifyRelease(steps, means);
  const { failed } = steps;
  const count = failed === 1 ? 'one step does not hold' : `${failed} steps do not hold`;
  if (failed > 0) steps.end(`Do not rely on this release: ${count}`, 'invalid');
  else if (steps.uncheckable > 0)
    steps.end('The publisher signed this release, but not all of it can be checked', 'open');
  else steps.end('This release is what the publisher and the ledger signed', 'valid');
}

async function showFile(steps: Steps, file: File, means: Means): Promise<void> {
  const release = await verifyRelease(steps, means);
  const [failed, open] = [steps.failed, steps.uncheckable];
  const found = await identifyFile(steps, file, release);
  if (found === null) {
    const words =
      steps.failed === failed
        ? `${file.name} cannot be checked: this release has neither its hash nor its name`
        : `${file.name} is not the file of this release: it is of another one, or was changed`;
    steps.end(words, steps.failed === failed ? 'open' : 'invalid');
  } else if (failed > 0)
    steps.end(`${found} But not everything about that release holds: see below.`, 'invalid');
  else if (open > 0)
    steps.end(`${found} But not everything about that release can be checked: see below.`, 'open');
  else steps.end(found, 'valid');
}
