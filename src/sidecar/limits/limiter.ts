import { createHmac } from 'node:crypto';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import type { QuotaResult } from '../../api/quotas.ts';
import { quotaOf, secondsToMidnight, type Tier, utcDay } from '../../api/quotas.ts';
import { GroupCommit } from '../storage/group-commit.ts';
import { clientNetwork } from './client-network.ts';
import type { CountStore, Take } from './count-store.ts';

/** Who is counted: the holder of a key, whichever of the holder's keys it is, or an IP address as the server sees it. */
export type Subject = { holder: string } | { address: string };

export interface TakeRequest {
  area: Area;
  tier: Tier;
  subject: Subject;
  /** ms since 1970 */
  now: number;
}

export interface LimiterOptions {
  store: CountStore;
  /** Unguessable bytes, as many as asked for. */
  random: (bytes: number) => Uint8Array;
}

export interface Limiter {
  /**
   * Counts one request, to be called when it is known that the answer is data. Resolves once the count would outlive the
   * process. Rejects with store_failed or overloaded: then nothing was counted, and no data should be sent. Throws a
   * RangeError where the address is none or the area has no such tier.
   */
  take: (request: TakeRequest) => Promise<QuotaResult>;
  /** Requests counted today. */
  used: (request: Omit<TakeRequest, 'tier'>) => Promise<number>;
  /** Removes past days; to be called at start and a few times an hour. */
  prune: (now: number) => Promise<void>;
  /** Rejects with store_failed where nothing can be counted now. */
  check: () => Promise<void>;
  /** To be called where the store lost what it held: the day's secret is put there again. */
  forget: () => void;
  close: () => Promise<void>;
}

const SECRET_BYTES = 32;
/** 128 bits: two of ten million addresses get the same with a probability of 10⁻²⁵. */
const SUBJECT_BYTES = 16;
/** Whose name is remembered, so that it is not computed for each of their requests. */
const MAX_NAMES = 10_000;
/** A clock that is set back by less than this over midnight still finds what was counted on the day before. */
const PRUNE_AFTER_MS = 60 * 60 * 1_000;

/** Counts requests of the UTC day per area and subject. Keeps no counts in memory. */
export function createLimiter({ store, random }: LimiterOptions): Limiter {
  const takes = new GroupCommit<Take, number | null>({ commit: (batch) => store.takeAll(batch) });
  let nameSubject = subjectNames({ store, random });

  async function take({ area, tier, subject, now }: TakeRequest): Promise<QuotaResult> {
    const quota = quotaOf(area, tier);
    const resetSeconds = secondsToMidnight(now);
    if (quota === 'unlimited') return { allowed: true, limit: null, remaining: null, resetSeconds };
    const day = utcDay(now);
    const n = await takes.add({ day, area, subject: await nameSubject(day, subject), limit: quota });
    return { allowed: n !== null, limit: quota, remaining: n === null ? 0 : quota - n, resetSeconds };
  }

  return {
    take,
    used: async ({ area, subject, now }) =>
      store.count(utcDay(now), area, await nameSubject(utcDay(now), subject)),
    prune: (now) => store.prune(utcDay(now - PRUNE_AFTER_MS)),
    check: () => store.check(),
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
 * Addresses are personal, so only a keyed hash of them is stored. Its secret is another one each day and is deleted with
 * the day's counts: afterwards nobody can tell whose they were, by trying all addresses either.
 */
function subjectNames({ store, random }: LimiterOptions) {
  let current: { day: string; secret: Promise<Uint8Array> } | null = null;
  let names = new Map<string, string>();
  const secretOf = (day: string): Promise<Uint8Array> => {
    if (current?.day === day) return current.secret;
    const secret = store.secret(day, random(SECRET_BYTES));
    current = { day, secret };
    // Asked for again after a failure.
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
