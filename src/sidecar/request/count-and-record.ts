import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { Problem } from '../../api/problem.ts';
import { rateLimitHeaders, type Tier, tierWithoutKey } from '../../api/quotas.ts';
import type { AccessLog } from '../access-log/access-log.ts';
import { rateLimited } from '../limits/limiter.ts';
import type { Services } from '../services.ts';
import { type Answer, discard } from './answer.ts';
import { type RequestContext, redactedPath } from './request-context.ts';

/** Answers with data, or that it is unchanged; any other answer is free, and so is HEAD, which sends none. */
const COUNTED: ReadonlySet<number> = new Set([200, 206, 304]);

export function tierOf(area: Area, { key }: RequestContext): Tier {
  return key?.tier ?? tierWithoutKey(area);
}

/**
 * Counts an answer with data against the quota of its area. Adds headers that tell what is left, unless a shared cache may keep the
 * answer for other clients. Throws a Problem rate_limited, or request_not_counted if the counts cannot be stored; the answer is
 * discarded then.
 */
export async function countAnswer(
  answer: Answer,
  context: RequestContext,
  { limiter, logger }: Pick<Services, 'limiter' | 'logger'>,
  now: number,
): Promise<Answer> {
  const { area, key, request } = context;
  if (!context.counted || area === null || !limiter || !COUNTED.has(answer.status)) return answer;
  const own = key ? { ...answer, headers: privateHeaders(answer.headers) } : answer;
  if (request.method === 'HEAD') return own;
  const subject = key ? { holder: key.holder } : { address: context.address };
  try {
    const result = await limiter.take({ area, tier: tierOf(area, context), subject, now });
    if (!result.allowed) throw rateLimited(area, result);
    return isShared(own.headers) ? own : { ...own, more: rateLimitHeaders(result) };
  } catch (error) {
    discard(answer);
    if (error instanceof Problem) throw error;
    logger.error({ err: error }, 'requests cannot be counted');
    throw new Problem('request_not_counted');
  }
}

const PUBLIC = /^public\b/;
const PRIVATE = new WeakMap<Answer['headers'], Answer['headers']>();

/** Whether a shared cache may answer other clients with this response without asking again (RFC 9111 §5.2.2.9). */
function isShared(headers: Answer['headers']): boolean {
  return PUBLIC.test(headers['Cache-Control'] ?? '');
}

/** For the holder of a key, whose remaining quota is in the response: only the holder's own cache may keep it. */
function privateHeaders(headers: Answer['headers']): Answer['headers'] {
  if (!isShared(headers)) return headers;
  let known = PRIVATE.get(headers);
  if (!known) {
    known = { ...headers, 'Cache-Control': headers['Cache-Control']!.replace(PUBLIC, 'private') };
    PRIVATE.set(headers, known);
  }
  return known;
}

/**
 * Records the access to a restricted path, with the `status` of the answer that is about to be sent, at `now`, ms. Resolves
 * when the entry is on disk, so that the answer may be sent. Throws a Problem access_not_logged, also if there is no log.
 */
export async function recordAccess(
  context: RequestContext,
  { status, now }: { status: number; now: number },
  log: Pick<AccessLog, 'append'> | null,
): Promise<void> {
  if (!log) throw new Problem('access_not_logged');
  const { id, key, keyId, holder, area, query, request } = context;
  const asked = { method: request.method ?? '', path: redactedPath(context), query };
  const access = { time: now, requestId: id, keyId, holder, area: area ?? '', ...asked, status };
  const isRefused = key === null && status >= 400;
  await log.append({ ...access, client: context.address, isRefused }).catch(() => {
    // The cause is in the server log.
    throw new Problem('access_not_logged');
  });
}
