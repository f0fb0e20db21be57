import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { Problem } from '../../api/problem.ts';
import { rateLimitHeaders, type Tier, tierWithoutKey } from '../../api/quotas.ts';
import type { Limiter } from '../limits/limiter.ts';
import { rateLimited, requestNotCounted } from '../limits/rate-limited.ts';
import type { Services } from '../services.ts';
import { type Answer, discard } from './answer.ts';
import type { Visit } from './visit.ts';

/** Answers with data; anything else costs the client nothing. */
const COUNTED: ReadonlySet<number> = new Set([200, 206, 304]);

export function tierOf(area: Area, { key }: Visit): Tier {
  return key?.tier ?? tierWithoutKey(area);
}

/**
 * Counts an answer with data against the limit of its area and adds what is left of it. Throws rate_limited, and
 * request_not_counted where the counts cannot be kept; `report` gets the cause.
 */
export async function count(
  answer: Answer,
  area: Area,
  visit: Visit,
  { limiter, now, report }: { limiter: Pick<Limiter, 'take'>; now: number; report: (error: unknown) => void },
): Promise<Answer> {
  if (!COUNTED.has(answer.status)) return answer;
  const { key, address, request } = visit;
  const subject = key ? { holder: key.holder } : { address: address.ip(request) };
  const taken = await limiter
    .take({ area, tier: tierOf(area, visit), subject, now })
    .catch((error: unknown) => {
      if (error instanceof Problem) throw error;
      report(error);
      throw requestNotCounted();
    });
  if (!taken.allowed) throw rateLimited(area, taken);
  return { ...answer, more: rateLimitHeaders(taken) };
}

/** An answer to what is counted, counted, with what is left in `more`; any other as it is. Throws what `count` throws. */
export async function counted(
  answer: Answer,
  visit: Visit,
  { limiter, logger }: Pick<Services, 'limiter' | 'logger'>,
  now: number,
): Promise<Answer> {
  if (!visit.counted || !limiter) return answer;
  const report = (err: unknown) => logger.error({ err }, 'requests cannot be counted');
  try {
    return await count(answer, visit.area!, visit, { limiter, now, report });
  } catch (error) {
    discard(answer);
    throw error;
  }
}
