import { createHmac } from 'node:crypto';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { Problem } from '../../api/problem.ts';
import {
  type Quota,
  type QuotaResult,
  quotaOf,
  rateLimitHeaders,
  secondsToMidnight,
  type Tier,
  utcDay,
} from '../../api/quotas.ts';
import { GroupCommit } from '../storage/group-commit.ts';
import { clientNetwork } from './client-network.ts';
import type { CountRequest, Counts } from './count-store.ts';

/** The counted subject: the holder of a key, across all of the holder's keys, or an IP address as the server sees it. */
export type Subject = { holder: string } | { address: string };

export interface QuotaRequest {
  area: Area;
  tier: Tier;
  subject: Subject;
  /** ms since 1970 */
  now: number;
}

/** Something that is counted beside the requests of an area, up to a limit of its own a day. */
interface ExtraCount {
  /** `simulation` */
  name: string;
  limit: Quota;
}

export interface LimiterOptions {
  store: Counts;
  /** How many batches the store may count at once. Default: 1. */
  parallel?: number;
  /** Returns the given number of unguessable bytes. */
  random: (bytes: number) => Uint8Array;
}

export type Limiter = ReturnType<typeof createLimiter>;

const SECRET_BYTES = 32;
/** 128 bits: among ten million addresses, a collision has a probability of 10⁻²⁵. */
const SUBJECT_BYTES = 16;
/** Number of subjects whose hash is cached. */
const MAX_NAMES = 10_000;
/** A clock set back across midnight by less than this still finds the counts of the day before. */
const PRUNE_AFTER_MS = 60 * 60 * 1_000;

/** Counts requests per UTC day, area and subject. Keeps no counts in memory. */
export function createLimiter({ store, random, parallel = 1 }: LimiterOptions) {
  const takes = new GroupCommit<CountRequest, number | null>({
    commit: (batch) => store.takeAll(batch),
    parallel,
  });
  let nameSubject = subjectNames({ store, random });
  return {
    /**
     * Counts one request, or `extra` instead. Call it once it is certain that the answer is data. Resolves when the count would survive a
     * kill. Rejects with store_failed or overloaded: then nothing was counted, and no data may be sent. Throws a RangeError for an invalid
     * address or a tier that the area does not have.
     */
    async take({ area, tier, subject, now }: QuotaRequest, extra?: ExtraCount): Promise<QuotaResult> {
      const quota = extra ? extra.limit : quotaOf(area, tier);
      const resetSeconds = secondsToMidnight(now);
      if (quota === 'unlimited') return { allowed: true, limit: null, remaining: null, resetSeconds };
      const day = utcDay(now);
      const name = await nameSubject(day, subject);
      const n = await takes.add({ day, area, subject: extra ? `${extra.name} ${name}` : name, limit: quota });
      return { allowed: n !== null, limit: quota, remaining: n === null ? 0 : quota - n, resetSeconds };
    },
    /** The number of requests counted today. */
    used: async ({ area, subject, now }: Omit<QuotaRequest, 'tier'>) =>
      store.count(utcDay(now), area, await nameSubject(utcDay(now), subject)),
    /** Deletes past days. Call it at start and a few times an hour. */
    prune: (now: number) => store.prune(utcDay(now - PRUNE_AFTER_MS)),
    /** Rejects with store_failed if counting is impossible at present. */
    check: () => store.check(),
    /** Stores the secret of the day again. Call it when the store lost its content. */
    forget: () => {
      nameSubject = subjectNames({ store, random });
    },
    close: async () => {
      await takes.idle();
      await store.close();
    },
  };
}

/**
 * Addresses are personal data, so only a keyed hash of them is stored. The secret changes daily and is deleted with the day's
 * counts. Afterwards nobody can recover an address, not even by trying all of them.
 */
function subjectNames({ store, random }: Pick<LimiterOptions, 'store' | 'random'>) {
  let current: { day: string; secret: Promise<Uint8Array> } | null = null;
  let names = new Map<string, string>();
  const secretOf = (day: string): Promise<Uint8Array> => {
    if (current?.day === day) return current.secret;
    const secret = store.secret(day, random(SECRET_BYTES));
    current = { day, secret };
    // Retry after a failure.
    secret.catch(() => {
      if (current?.secret === secret) current = null;
    });
    return secret;
  };
  return async (day: string, subject: Subject): Promise<string> => {
    if ('holder' in subject) return `holder:${subject.holder}`;
    const { address } = subject;
    const key = `${day} ${address}`;
    const known = names.get(key);
    if (known !== undefined) return known;
    const digest = createHmac('sha256', await secretOf(day))
      .update(clientNetwork(address))
      .digest();
    const name = `network:${digest.subarray(0, SUBJECT_BYTES).toString('base64url')}`;
    if (names.size >= MAX_NAMES) names = new Map();
    names.set(key, name);
    return name;
  };
}

/** 429: the request exceeds its limit. */
export function rateLimited(area: Area, allowance: QuotaResult): Problem {
  const detail = `The ${allowance.limit} requests of this day for ${area} are used up; the next day begins at 00:00 UTC.`;
  return new Problem('rate_limited', detail, rateLimitHeaders(allowance));
}
