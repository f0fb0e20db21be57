import type { Database } from '../../../pipeline/postgres/database.ts';

export interface ReplicasOptions {
  database: Pick<Database, 'query' | 'transaction'>;
  /** Address of the service: others may use the same database. */
  service: string;
  /** Tells this process from every other one. */
  name: string;
  /** Version of the release that this replica serves, or will serve within seconds; 0 for none. */
  version: () => number;
  /** Whether this replica could take all requests now, lateness aside. */
  isReady: () => boolean;
  /** Called with the first of several failures. */
  report: (error: unknown) => void;
  /** ms; goes on during a pause of the process. Default: performance.now(). */
  monotonic?: () => number;
  /** Between two announcements, ms. Default: 1000. */
  announceMs?: number;
}

const ANNOUNCE_MS = 1000;
/** What was heard longer ago, ms, is asked again before it counts: more than an announcement's time, so mostly nothing is asked. */
const FRESH_MS = 1250;
/** A replica that has announced nothing for so long counts as gone. */
const LIVE_S = 10;

/**
 * What each replica serves or is about to serve, announced in the database. A replica that is behind a live one is late: a reader who was
 * at the other one would be sent back to an older release. It leaves before the other one switches. The newest live replica is never late,
 * so the load balancer is never empty because of this.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #monotonic: () => number;
  /** The newest version that another live replica serves or is about to serve. */
  #newest = 0;
  #heardAt = -Infinity;
  #hasFailed = false;
  #running: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#monotonic = options.monotonic ?? (() => performance.now());
    this.#timer = setInterval(() => this.announce(), options.announceMs ?? ANNOUNCE_MS).unref();
  }

  /** Says now what this replica serves, and hears what the others do. Failures are reported. */
  announce(): Promise<void> {
    this.#queued ??= this.#running.then(() => {
      this.#queued = null;
      this.#running = this.#announce();
      return this.#running;
    });
    return this.#queued;
  }

  /** Hears what the others serve, unless that has just happened. */
  async refresh(): Promise<void> {
    if (this.#monotonic() - this.#heardAt > FRESH_MS) await this.announce();
  }

  /** Whether another live replica serves a newer release or is about to. False while the database does not answer. */
  isLate(): boolean {
    return this.#monotonic() - this.#heardAt < LIVE_S * 1000 && this.#newest > this.#options.version();
  }

  /** Says that this replica is gone. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#queued;
    await this.#running;
    const { database, name } = this.#options;
    await database.query('DELETE FROM cathedral.replicas WHERE name = $1', [name]).catch(() => undefined);
  }

  async #announce(): Promise<void> {
    const { database, service, name, version, isReady, report } = this.#options;
    // The process may be paused before it gets the answer.
    const askedAt = this.#monotonic();
    try {
      const { rows } = await database.transaction(async (query) => {
        // Nothing is lost with it, and it must not wait for a standby that is down.
        await query('SET LOCAL synchronous_commit TO off');
        await query(SAY, [name, service, version(), isReady()]);
        return query<{ newest: number | null }>(HEAR, [name, service, LIVE_S]);
      });
      this.#newest = rows[0]?.newest ?? 0;
      this.#heardAt = askedAt;
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) report(error);
      this.#hasFailed = true;
    }
  }
}

const SAY = `
  INSERT INTO cathedral.replicas (name, service, version, ready, seen_at) VALUES ($1, $2, $3, $4, clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET version = excluded.version, ready = excluded.ready, seen_at = excluded.seen_at`;

/** Replicas that were killed leave their rows behind. */
const HEAR = `
  WITH gone AS (DELETE FROM cathedral.replicas WHERE seen_at < clock_timestamp() - interval '1 hour')
  SELECT max(version)::bigint AS newest FROM cathedral.replicas
  WHERE name <> $1 AND service = $2 AND ready AND seen_at > clock_timestamp() - $3 * interval '1 s'`;
