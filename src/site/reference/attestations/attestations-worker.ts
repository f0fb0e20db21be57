import './without-eval.ts';
import { checkDraft, type Drafted } from '../../../../pipeline/attestation/check-draft.ts';
import { formatDocument } from '../../../../pipeline/attestation/document.ts';
import {
  type NewDocument,
  newDocument,
  signatureClaim,
} from '../../../../pipeline/attestation/new-document.ts';
import { PublishedRegistry, trustOf } from '../../../../pipeline/attestation/published-registry.ts';
import { readJson } from '../../../../pipeline/attestation/read-json.ts';
import {
  SUMMARIES,
  type Verdict,
  verifyAttestation,
} from '../../../../pipeline/attestation/verify-attestation.ts';
import { answerJobs } from '../../layout/worker-jobs.ts';

export type AttestationJob =
  /** A registry as JSON, which the following jobs trust. */
  | { kind: 'registry'; text: string }
  /** `now`: ms since 1970. */
  | { kind: 'verify'; document: string | Uint8Array; now: number }
  /** `justification`: its JSON text; null: the field is empty. */
  | {
      kind: 'draft';
      given: Omit<NewDocument, 'justification'>;
      justification: string | null;
      now: number;
    };

export type AttestationAnswer =
  | { kind: 'registry'; timestamp: string }
  | { kind: 'verify'; verdict: Verdict; isReliable: boolean }
  /** `text`: the document, formatted. */
  | { kind: 'draft'; drafted: Drafted; text: string };

/** Gives the worker a job. */
export type Ask = <Kind extends AttestationJob['kind']>(
  job: Extract<AttestationJob, { kind: Kind }>,
  done: (answer: Extract<AttestationAnswer, { kind: Kind }>) => void,
  failed: (message: string) => void,
) => void;

let registry: PublishedRegistry | null = null;
/** The creation time of each request, which stays fixed so that the wallet's signature remains valid. */
const times = new Map<string, number>();

answerJobs<AttestationJob, AttestationAnswer>(async (job) => {
  if (job.kind === 'registry') {
    registry = PublishedRegistry.parse(JSON.parse(job.text));
    return { kind: 'registry', timestamp: registry.timestamp };
  }
  if (!registry) throw new Error('The registry in this page cannot be read.');
  if (job.kind === 'verify') {
    const verdict = verifyAttestation(job.document, { ...trustOf(registry), now: job.now });
    return { kind: 'verify', verdict, isReliable: verdict.summary === SUMMARIES.active };
  }
  const drafted = draft(job, registry);
  return { kind: 'draft', drafted, text: formatDocument(drafted.document) };
});

function draft(
  { given, justification, now }: Extract<AttestationJob, { kind: 'draft' }>,
  { wallets }: PublishedRegistry,
): Drafted {
  const read = justification === null ? { value: null, problem: null } : readJson(justification);
  const complete = { ...given, justification: read.value };
  const request = signatureClaim(newDocument(complete, 0));
  const at = times.get(request) ?? now;
  times.set(request, at);
  const drafted = checkDraft(newDocument(complete, at), now, { wallets });
  const unread = read.problem ? [{ ...read.problem, pointer: `/epicon_ej${read.problem.pointer}` }] : [];
  return { ...drafted, problems: [...unread, ...drafted.problems] };
}
