import { MAX_BYTES } from '../../../pipeline/attestation/read-json.ts';
import { lookUpStatus } from '../../../pipeline/attestation/status.ts';
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
/** Any answer with data: what has its place in the day's requests. */
const DATA: Answer = { status: 200, headers: {}, body: null };

/** The verdict on the document that is the body. Nothing of it is kept or logged. Throws a Problem. */
export async function answerVerify(
  context: RequestContext,
  release: ServedRelease | null,
  services: Services,
  now: number,
): Promise<Answer> {
  if (context.query) throw new Problem('unknown_parameter', 'This path takes no parameters.');
  // Before the gate: a body may come slowly, and one that waits for it keeps nobody else out.
  const body = await readBody(context.request, context.response, LIMITS);
  context.bodyRead = true;
  enterLoadGate(context, services);
  if (!release) throw noReleaseProblem();
  const { asOf, ...trust } = await readTrust(release, services.live);
  // Before the work: whoever has used up the day gets none of it.
  const { more = {} } = await countAnswer(DATA, context, services, now);
  const verdict = verifyAttestation(body, { ...trust, now });
  services.metrics.countVerdict(verdict.status);
  return { ...ownAnswer({ ...verdict, as_of: asOf }), more };
}

/** About one document, for whoever asked and nobody else. */
export function ownAnswer(value: object): Answer {
  const { headers, ...answer } = jsonAnswer(200, value);
  const own = { 'Cache-Control': 'no-store', 'Access-Control-Expose-Headers': EXPOSED_HEADERS };
  return { ...answer, headers: { ...headers, ...own } };
}

/** What the ledger has of the attestation of that id or UUID, as of `now`, ms. Throws a Problem. */
export async function answerStatus(
  { name, query, now }: { name: string; query: string; now: number },
  release: ServedRelease,
  live: Live | null,
): Promise<Answer> {
  if (query) throw new Problem('unknown_parameter', 'This path takes no parameters.');
  const { registry, asOf } = await readTrust(release, live);
  const found = lookUpStatus(name, registry, now);
  if (!found)
    throw new Problem(
      'not_found',
      'The ledger has no attestation of this id or UUID, or had one that expired more than 90 days ago.',
    );
  return ownAnswer({ ...found, as_of: asOf });
}
