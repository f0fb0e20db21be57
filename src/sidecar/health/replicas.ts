import type { Database } from '../../../pipeline/postgres/database.ts';

export interface ReplicasOptions {
  database: Pick<Database, 'query' | 'transaction'>;
  /** Address of the service: others may use the same database. */
  service: string;
  /** Tells this process from every other one. */
  name: string;
  /** Version of the release that this replica serves; 0 for none. */
  version: () => number;
  /** Whether this replica could take all requests now, lateness aside. */
  isReady: () => boolean;
  /** Called with the first of several failures. */
  report: (error: unknown) => void;
}

/** Between two announcements, ms. */
const ANNOUNCE_MS = 3000;
/** A replica that has announced nothing for so long counts as gone: three announcements were lost. */
const LIVE_S = 10;

/**
 * What each replica serves, announced in the database. A replica that is behind a live one is late: a reader who was at the other one
 * would be sent back to an older release. The newest live replica is never late, so the load balancer is never empty because of this.
 */
export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #timer: NodeJS.Timeout;
  /** The newest version that another live replica serves. */
  #newest = 0;
  #heardAt = -Infinity;
  #hasFailed = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.announce(), ANNOUNCE_MS).unref();
  }

  /** Says now what this replica serves, and hears what the others do. Failures are reported. */
  announce(): Promise<void> {
    this.#running = this.#running.then(() => this.#announce());
    return this.#running;
  }

  /** Whether another live replica serves a newer release. False while the database does not answer. */
  isLate(): boolean {
    return performance.now() - this.#heardAt < LIVE_S * 1000 && this.#newest > this.#options.version();
  }

  /** Says that this replica is gone. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    const { database, name } = this.#options;
    await database.query('DELETE FROM cathedral.replicas WHERE name = $1', [name]).catch(() => undefined);
  }

  async #announce(): Promise<void> {
    const { database, service, name, version, isReady, report } = this.#options;
    try {
      const { rows } = await database.transaction(async (query) => {
        // Nothing is lost with it, and it must not wait for a standby that is down.
        await query('SET LOCAL synchronous_commit TO off');
        await query(SAY, [name, service, version(), isReady()]);
        return query<{ newest: number | null }>(HEAR, [name, service, LIVE_S]);
      });
      this.#newest = rows[0]?.newest ?? 0;
      this.#heardAt = performance.now();
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
