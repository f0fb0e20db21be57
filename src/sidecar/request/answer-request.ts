import { answerVerify } from '../attestations/answer-verify.ts';
import { FileBody } from '../files/file-body.ts';
import { noRelease } from '../files/releases.ts';
import type { Services } from '../services.ts';
import { admit, isPlain } from './admit.ts';
import { type Answer, discard } from './answer.ts';
import { answerTarget } from './answer-target.ts';
import { counted } from './count.ts';
import { enterGate } from './enter-gate.ts';
import { OWN_PATHS } from './own-paths.ts';
import { aim } from './route.ts';
import { headersOf } from './send.ts';
import { clientOf, hold, type Visit } from './visit.ts';

/** A stream of events for as long as the client wants, so it has no place in the load gate. */
const LIVE_PATH = 'live';

/**
 * The answer to a request, complete but not sent: who asks is known, who may not is refused, what is limited is counted.
 * Null where the connection was taken over. Throws a Problem.
 */
export async function answerRequest(visit: Visit, services: Services): Promise<Answer | null> {
  const { path, request, response } = visit;
  const own = OWN_PATHS.get(path!);
  if (own) {
    if (!isPlain(visit)) await admit(visit, services.keys, services.now());
    return own(services);
  }
  const looked = services.releases.current();
  // Mostly it is known, and a turn of the event loop is worth saving for each request.
  const release = looked instanceof Promise ? await looked : looked;
  const target = aim(visit, release);
  const now = services.now();
  if (!isPlain(visit)) await admit(visit, services.keys, now);
  if (path === LIVE_PATH && services.live) {
    services.live.listen(request, response, {
      headers: (own) => headersOf(visit, own),
      address: visit.address.ip(request),
      query: visit.query,
    });
    return null;
  }
  if (target.kind === 'verify') return answerVerify(visit, release, services, now);
  enterGate(visit, services);
  if (!release) throw noRelease();
  const prepared = answerTarget(visit, release, target, services);
  const answer = prepared instanceof Promise ? await prepared : prepared;
  if (answer.body instanceof FileBody) takeSlot(answer, visit, services);
  // Most are not, and a promise for each would be felt.
  return visit.counted && services.limiter ? counted(answer, visit, services, now) : answer;
}

/** A client that takes a file slowly, or not at all, keeps what it holds: so one may have a part of all places only. */
function takeSlot(answer: Answer, visit: Visit, { downloads }: Services): void {
  try {
    hold(visit, downloads.take(clientOf(visit)));
  } catch (error) {
    discard(answer);
    throw error;
  }
}
