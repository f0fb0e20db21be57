import type { AccessLog } from '../access-log/access-log.ts';
import { accessNotLogged } from '../access-log/access-not-logged.ts';
import { shownPath, type Visit } from './visit.ts';

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
