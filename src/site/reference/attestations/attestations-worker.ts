import { checkDraft, type Drafted } from '../../../../pipeline/attestation/check-draft.ts';
import { type Algorithm, formatDocument } from '../../../../pipeline/attestation/document.ts';
import { type Json, readLimitedJson } from '../../../../pipeline/attestation/limited-json.ts';
import {
  type NewDocument,
  newDocument,
  signatureClaim,
} from '../../../../pipeline/attestation/new-document.ts';
import type { Problem } from '../../../../pipeline/attestation/problem.ts';
import { PublishedRegistry, trustOf } from '../../../../pipeline/attestation/published-registry.ts';
import { schemaProblems } from '../../../../pipeline/attestation/schema-problems.ts';
import { verifyAttestation } from '../../../../pipeline/attestation/verify-attestation.ts';
import { answerJobs } from '../../layout/worker-jobs.ts';
import { draftOutcome, type Outcome, verdictOutcome } from './verdict-parts.ts';

interface Trusting {
  /** What is trusted, as JSON. */
  registry: string;
}

export type AttestationJob =
  /** Whether the registry can be read. */
  | (Trusting & { kind: 'registry' })
  /** `file`: the name of what was chosen; null: the text was typed. `now`: ms since 1970. */
  | (Trusting & { kind: 'verify'; document: string | Uint8Array; file: string | null; now: number })
  /** The fields of the form, trimmed. */
  | (Trusting & { kind: 'draft'; given: Readonly<Record<string, string>>; now: number });

/** The time of the registry, or what came of a form. */
export type AttestationAnswer = { timestamp: string } | Outcome;

let known: { text: string; registry: PublishedRegistry } | null = null;
/** The creation time of each request, which stays fixed so that the wallet's signature remains valid. */
const times = new Map<string, number>();

answerJobs<AttestationJob, AttestationAnswer>(async (job) => {
  const registry = registryOf(job.registry);
  if (job.kind === 'registry') return { timestamp: registry.timestamp };
  if (job.kind === 'draft') {
    const drafted = draft(job, registry);
    return draftOutcome(drafted, formatDocument(drafted.document));
  }
  const { document, file, now } = job;
  const verdict = verifyAttestation(document, { ...trustOf(registry), now });
  const text = typeof document === 'string' ? document : new TextDecoder().decode(document);
  return verdictOutcome(verdict, text, file);
});

function registryOf(text: string): PublishedRegistry {
  if (known?.text === text) return known.registry;
  const value = JSON.parse(text) as Json;
  const { data, error } = PublishedRegistry.safeParse(value);
  if (!data) {
    const [{ pointer, message }] = schemaProblems(error.issues, value) as [Problem];
    throw new Error(`${pointer ? `${pointer}: ` : ''}${message.replace(/\.$/, '')}`);
  }
  known = { text, registry: data };
  return data;
}

function draft(
  { given, now }: Extract<AttestationJob, { kind: 'draft' }>,
  { wallets }: PublishedRegistry,
): Drafted {
  const { justification } = given;
  const read = justification ? readLimitedJson(justification) : { value: null, problem: null };
  const complete = { ...fieldsOf(given), justification: read.value };
  const request = signatureClaim(newDocument(complete, 0));
  const at = times.get(request) ?? now;
  times.set(request, at);
  const drafted = checkDraft(newDocument(complete, at), now, { wallets });
  const unread = read.problem ? [{ ...read.problem, pointer: `/epicon_ej${read.problem.pointer}` }] : [];
  return { ...drafted, problems: [...unread, ...drafted.problems] };
}

/** An empty field is null. A browser leaves a box out that is not checked. */
function fieldsOf(given: Readonly<Record<string, string>>): Omit<NewDocument, 'justification'> {
  const text = (name: string) => given[name] || null;
  const number = (name: string) => (given[name] ? Number(given[name]) : null);
  return {
    draft: {},
    companion: text('companion'),
    algorithm: text('algorithm') as Algorithm | null,
    ledgerId: text('ledger-id'),
    scope: text('scope'),
    risk: text('risk'),
    riskReason: text('risk-justification'),
    hashOnly: 'hash-only' in given,
    walletSignature: text('wallet-signature'),
    days: number('days'),
    expiresAt: text('expires-at'),
    ccr: number('ccr-score'),
    threshold: number('drift-threshold'),
    interval: text('check-interval'),
    unwatched: 'without-drift-monitoring' in given,
    context: text('request-context'),
    previous: text('previous'),
    trail: text('audit-trail-id'),
  };
}
