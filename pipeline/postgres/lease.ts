import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError } from '../errors.ts';
import type { Query } from '../sql/store.ts';
import type { Database } from './database.ts';
import { sqlState } from './fault.ts';

/** How long others wait for a holder that no longer answers, ms. */
const LENGTH_MS = 30_000;
/** Attempts to renew a lease before it expires, so it survives one that fails, or a main thread that is busy for as long. */
const RENEWALS = 3;
const RETRY_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * The right to do something alone, for a limited time on the database's clock. It avoids work that is done twice and proves nothing: a
 * holder may be paused and wake up after another one took over. So what must happen once asks `assertHeld` in its own transaction.
 */
export interface Lease {
  readonly name: string;
  /** Counts the holders. */
  readonly epoch: number;
  /** Of this holding alone: a database that was restored from a back-up counts the same epochs again. */
  readonly token: string;
  /** Aborts when the lease is lost. */
  readonly signal: AbortSignal;
}

export interface LeaseOptions {
  name: string;
  /** Tells others what they wait for: `publisher-2, build, process 4711`. */
  holder: string;
  /** How long to wait for another holder, ms. */
  waitMs: number;
  /** Default 30 s. */
  lengthMs?: number;
}

/**
 * Runs `work` as the holder of a lease. Throws `locked` if another one still holds it after `waitMs`, and `store_failed`.
 */
export async function withLease<T>(
  database: Database,
  options: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const { name, lengthMs = LENGTH_MS } = options;
  const token = randomUUID();
  const epoch = await acquire(database, { ...options, lengthMs, token });
  const lost = new AbortController();
  const lease: Lease = { name, epoch, token, signal: lost.signal };
  const renewal = renewing(database, lease, lengthMs, (reason) => lost.abort(reason));
  try {
    return await work(lease);
  } finally {
    await renewal.stop();
    await release(database, lease);
  }
}

/**
 * Throws `locked` unless the lease is held, and keeps it until the transaction of `query` ends. It may have expired, as long as nobody
 * else has taken it.
 */
export async function assertHeld(query: Query, { name: database }: Named, lease: Lease): Promise<void> {
  const { name, epoch, token } = lease;
  const { count } = await query(
    'SELECT 1 FROM cathedral.leases WHERE name = $1 AND epoch = $2 AND token = $3 FOR SHARE',
    [name, epoch, token],
  );
  if (count === 0) throw lost(lease, database, await holderOf(query, name));
}

type Named = Pick<Database, 'name'>;

async function acquire(
  database: Database,
  { name, holder, waitMs, lengthMs, token }: Required<LeaseOptions> & { token: string },
): Promise<number> {
  const until = performance.now() + waitMs;
  for (;;) {
    const epoch = await take(database.query, [name, holder, token, lengthMs]);
    if (epoch !== null) return epoch;
    if (performance.now() >= until) {
      const place = placeOf(name, database.name);
      const found = await holderOf(database.query, name);
      throw new CathedralError('locked', { place, expected: 'no other run', found });
    }
    await sleep(RETRY_MS);
  }
}

/** The epoch; null if another one holds the lease. */
async function take(query: Query, values: readonly unknown[]): Promise<number | null> {
  try {
    const { rows } = await query<{ epoch: number }>(
      `INSERT INTO cathedral.leases AS lease (name, holder, token, epoch, expires_at)
       VALUES ($1, $2, $3, 1, clock_timestamp() + $4 * interval '1 ms')
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, token = excluded.token,
         epoch = lease.epoch + 1, expires_at = clock_timestamp() + $4 * interval '1 ms'
       WHERE lease.expires_at <= clock_timestamp()
       RETURNING epoch`,
      values,
    );
    return rows[0]?.epoch ?? null;
  } catch (error) {
    // The holder was paused in a transaction, which the server will end.
    if (sqlState(error) === LOCK_NOT_AVAILABLE) return null;
    throw error;
  }
}

/** Extends the lease at intervals, also one that has expired if nobody has taken it. */
function renewing(
  database: Database,
  lease: Lease,
  lengthMs: number,
  onLost: (reason: CathedralError) => void,
): { stop: () => Promise<void> } {
  let extendedAt = performance.now();
  let attempt: Promise<void> | null = null;
  const renew = async () => {
    const startedAt = performance.now();
    const { name, epoch, token } = lease;
    const values = [name, epoch, token, lengthMs];
    const renewed = await database
      .query(
        `UPDATE cathedral.leases SET expires_at = clock_timestamp() + $4 * interval '1 ms'
         WHERE name = $1 AND epoch = $2 AND token = $3`,
        values,
      )
      .catch((error: Error) => error);
    if (renewed instanceof Error) {
      // Perhaps the next attempt succeeds before it expires.
      if (performance.now() - extendedAt > lengthMs) onLost(lost(lease, database.name, renewed.message));
    } else if (renewed.count === 0) {
      onLost(lost(lease, database.name, await holderOf(database.query, name).catch(() => 'another holder')));
    } else extendedAt = startedAt;
  };
  const timer = setInterval(() => {
    attempt ??= renew().finally(() => {
      attempt = null;
    });
  }, lengthMs / RENEWALS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await attempt;
    },
  };
}

/** If the database does not answer, the lease expires by itself. */
async function release(database: Database, { name, epoch, token }: Lease): Promise<void> {
  await database
    .query(
      "UPDATE cathedral.leases SET expires_at = '-infinity' WHERE name = $1 AND epoch = $2 AND token = $3",
      [name, epoch, token],
    )
    .catch(() => {});
}

async function holderOf(query: Query, name: string): Promise<string> {
  const { rows } = await query<{ holder: string; epoch: number }>(
    'SELECT holder, epoch FROM cathedral.leases WHERE name = $1',
    [name],
  );
  return rows[0] ? `${rows[0].holder}, epoch ${rows[0].epoch}` : 'no holder';
}

function lost({ name, epoch }: Lease, database: string, found: string): CathedralError {
  const expected = `to hold it in epoch ${epoch} (this run publishes nothing more: another publisher goes on)`;
  return new CathedralError('locked', { place: placeOf(name, database), expected, found });
}

function placeOf(name: string, database: string): string {
  return `the lease ${name} in ${database}`;
}
