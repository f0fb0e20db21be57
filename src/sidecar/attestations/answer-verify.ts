import { MAX_BYTES } from '../../../pipeline/attestation/read-json.ts';
import { lookUpStatus } from '../../../pipeline/attestation/registry.ts';
import { verifyAttestation } from '../../../pipeline/attestation/verify-attestation.ts';
import { Problem } from '../../api/problem.ts';
import { noReleaseProblem, type ServedRelease } from '../files/releases.ts';
import { enterLoadGate } from '../request/admit.ts';
import { type Answer, EXPOSED_HEADERS, jsonAnswer } from '../request/answer.ts';
import { countAnswer } from '../request/count-and-record.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { Live, Services } from '../services.ts';
import { readBody } from './read-body.ts';
import { readTrust } from './read-trust.ts';

const LIMITS = { maxBytes: MAX_BYTES, timeoutMs: 10_000 };
/** Any path with data: its requests count towards the day's quota. */
const DATA: Answer = { status: 200, headers: {}, body: null };

/** Answers with the verdict on the document in the body. Nothing of the document is stored or logged. Throws a Problem. */
export async function answerVerify(
  context: RequestContext,
  release: ServedRelease | null,
  services: Services,
  now: number,
): Promise<Answer> {
  // Read the body before the load gate, so that a slowly arriving one does not occupy a place.
  const body = await readBody(context.request, context.response, LIMITS);
  context.bodyRead = true;
  enterLoadGate(context, services);
  if (!release) throw noReleaseProblem();
  const { asOf, ...trust } = await readTrust(release, services.live);
  // Count before verifying, so that a client over its quota causes no work.
  const { more = {} } = await countAnswer(DATA, context, services, now);
  const verdict = verifyAttestation(body, { ...trust, now });
  services.metrics.countVerdict(verdict.status);
  return { ...ownAnswer({ ...verdict, as_of: asOf }), more };
}

/** The answer concerns one document and only the client that sent it. */
function ownAnswer(value: object): Answer {
  const { headers, ...answer } = jsonAnswer(200, value);
  const own = { 'Cache-Control': 'no-store', 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
  return { ...answer, headers: { ...headers, ...own } };
}

/** Answers with the ledger's records of the attestation with that id or UUID, as of `now`, ms. Throws a Problem. */
export async function answerStatus(
  { name, now }: { name: string; now: number },
  release: ServedRelease,
  live: Live | null,
): Promise<Answer> {
  const { registry, asOf } = await readTrust(release, live);
  const found = lookUpStatus(name, registry, now);
  if (!found)
    throw new Problem(
      'not_found',
      'The ledger has no attestation with this id or UUID, or it expired more than 90 days ago.',
    );
  return ownAnswer({ ...found, as_of: asOf });
}
