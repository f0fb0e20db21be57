import { Problem } from '../../api/problem.ts';
import type { AccessLog } from '../access-log/access-log.ts';
import { shownPath, type Visit } from './visit.ts';

/** A disk that is full is not emptied in less. */
const RETRY_AFTER_S = 30;

/** The answer to a request for gated data that could not be logged: 503. The cause is for the server's own log. */
function accessNotLogged(): Problem {
  const headers = { 'Retry-After': String(RETRY_AFTER_S) };
  return new Problem('access_not_logged', 'Access to this path cannot be recorded now.', headers);
}

/**
 * Records the access to a gated path, with the `status` that its answer is about to have, at `now`, ms. Resolves when it is
 * on the disk, so that the answer may be sent. Throws access_not_logged, also where there is no log.
 */
export async function record(
  visit: Visit,
  { status, now }: { status: number; now: number },
  log: Pick<AccessLog, 'append'> | null,
): Promise<void> {
  if (!log) throw accessNotLogged();
  const { id, key, keyId, holder, area, query, request, address } = visit;
  const asked = { method: request.method ?? '', path: shownPath(visit), query };
  const access = { time: now, requestId: id, keyId, holder, area: area ?? '', ...asked, status };
  const isRefused = key === null && status >= 400;
  await log.append({ ...access, client: address.ip(request), isRefused }).catch(() => {
    throw accessNotLogged();
  });
}
