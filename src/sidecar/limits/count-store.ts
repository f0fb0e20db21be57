import { setTimeout as sleep } from 'node:timers/promises';
import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import { sqlState } from '../../../pipeline/postgres/fault.ts';
import { openSqlite, type SqliteOptions } from '../../../pipeline/sql/sqlite.ts';
import type { Query, SqlStore } from '../../../pipeline/sql/store.ts';
import { insertion, type RowOf } from '../../../pipeline/sql/table.ts';
import { COUNT_FILE, COUNTS } from '../../../pipeline/sql/tables.ts';

const LEAST = 'CASE WHEN kept.n + excluded.n < excluded.most THEN kept.n + excluded.n ELSE excluded.most END';
/** Follows the rows of an insertion. A row that has reached its limit is not changed, and not returned. */
const COUNT_ON = `
  ON CONFLICT (day, area, subject) DO UPDATE SET n = ${LEAST}, granted = ${LEAST} - kept.n, most = excluded.most
  WHERE kept.n < excluded.most
  RETURNING day, area, subject, n, granted`;

/** check_violation: the day has no partition yet. */
const NO_PARTITION = '23514';
/** A few milliseconds of work, so that deleting does not delay requests. */
const PRUNED_ROWS = 500;
const PAUSE_MS = 1;
const PRUNE = `
  DELETE FROM counts WHERE (day, area, subject) IN
    (SELECT day, area, subject FROM counts WHERE day < $1 LIMIT ${PRUNED_ROWS})`;

type Count = RowOf<typeof COUNTS>;

/** One request that is about to be answered with data. */
export interface CountRequest {
  /** `2025-12-01` */
  day: string;
  area: Area;
  /** The counted subject; never a plain address. */
  subject: string;
  /** The highest permitted count. */
  limit: number;
}

/** The requests of a batch for one subject under one limit. */
interface Group {
  id: string;
  take: CountRequest;
  /** Their places in the batch. */
  places: number[];
}

/** Counts in a file of this machine, which is made anew if it was removed. Throws store_failed if it cannot be opened. */
export async function openCountStore(
  path: string,
  options: Pick<SqliteOptions, 'onReplaced' | 'waitMs'> = {},
): Promise<CountStore> {
  const store = await openSqlite(path, COUNT_FILE, options);
  return new CountStore(store, () => store.close());
}

/** Counts in a database. Closing it leaves the database open. */
export function countStoreIn(database: SqlStore): CountStore {
  return new CountStore(database, async () => undefined);
}

/**
 * Counts stay exact when several processes share the storage, and the counts of answered requests survive a kill. Every method rejects with
 * store_failed if the storage fails.
 */
export class CountStore {
  readonly #store: SqlStore;
  readonly close: () => Promise<void>;

  constructor(store: SqlStore, close: () => Promise<void>) {
    this.#store = store;
    this.close = close;
  }

  /**
   * Counts all requests in one transaction. Returns each request's number within the day, from 1, or null if the limit was
   * already reached and nothing was counted.
   */
  async takeAll(takes: readonly CountRequest[]): Promise<(number | null)[]> {
    // A statement can change a row only once; several limits of one subject are rare.
    const [round, ...more] = groupTakes(takes);
    if (!round) return takes.map(() => null);
    const days = takes.map(({ day }) => day);
    const results = await this.#inPartitions(days, () =>
      more.length === 0
        ? takeRound(this.#store.query, round)
        : this.#store.transaction(async (query) => {
            const all = await takeRound(query, round);
            for (const next of more) all.push(...(await takeRound(query, next)));
            return all;
          }),
    );
    const numbers = new Map(results);
    return takes.map((_, place) => numbers.get(place) ?? null);
  }

  /** The current count; 0 for an unknown subject. */
  async count(day: string, area: Area, subject: string): Promise<number> {
    const select = 'SELECT n FROM counts WHERE day = $1 AND area = $2 AND subject = $3';
    const { rows } = await this.#store.query<{ n: number }>(select, [day, area, subject]);
    return rows[0]?.n ?? 0;
  }

  /** The secret of the day, the same for all callers. Stores `candidate` if the day has none yet. */
  async secret(day: string, candidate: Uint8Array): Promise<Uint8Array> {
    const offer = 'INSERT INTO count_secrets (day, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING';
    const hex = Buffer.from(candidate).toString('hex');
    await this.#inPartitions([day], () => this.#store.query(offer, [day, hex]));
    const select = 'SELECT secret FROM count_secrets WHERE day = $1';
    const { rows } = await this.#store.query<{ secret: string }>(select, [day]);
    return new Uint8Array(Buffer.from(rows[0]!.secret, 'hex'));
  }

  /** Deletes the counts and secrets of earlier days beyond recovery. */
  async prune(before: string): Promise<void> {
    const { engine, query } = this.#store;
    if (engine === 'postgres') {
      await query('SELECT cathedral.drop_days_of_counts($1::date)', [before]);
      return;
    }
    // The secret first: without it, the remaining counts identify nobody.
    let removed = (await query('DELETE FROM count_secrets WHERE day < $1', [before])).count;
    for (let rows = PRUNED_ROWS; rows === PRUNED_ROWS; removed += rows) {
      rows = (await query(PRUNE, [before])).count;
      await sleep(PAUSE_MS);
    }
    if (removed > 0) await this.#store.scrub();
  }

  /** Writes without counting. Rejects if counting would. */
  check(): Promise<void> {
    return this.#store.check();
  }

  /** The first request of a day makes its partitions. */
  async #inPartitions<T>(days: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== NO_PARTITION) throw error;
      for (const day of new Set(days)) await addDayOfCounts(this.#store, day);
      return work();
    }
  }
}

/** What a limiter needs of it. */
export type Counts = Pick<CountStore, keyof CountStore>;

/** Makes the partitions of a day in PostgreSQL, unless they are there. */
export async function addDayOfCounts({ engine, query }: SqlStore, day: string): Promise<void> {
  if (engine === 'postgres') await query('SELECT cathedral.add_day_of_counts($1::date)', [day]);
}

/** The groups of each statement: one of them for each subject, and all in one order, so that machines that count the same ones never deadlock. */
function groupTakes(takes: readonly CountRequest[]): Group[][] {
  const groups = new Map<string, Group[]>();
  for (const [place, take] of takes.entries()) {
    if (take.limit <= 0) continue;
    const id = idOf(take);
    const own = groups.get(id) ?? [];
    groups.set(id, own);
    const group = own.find((one) => one.take.limit === take.limit);
    if (group) group.places.push(place);
    else own.push({ id, take, places: [place] });
  }
  const all = [...groups.keys()].sort().map((id) => groups.get(id)!);
  const rounds = Math.max(0, ...all.map((own) => own.length));
  return Array.from({ length: rounds }, (_, round) => all.flatMap((own) => own[round] ?? []));
}

/** The places in the batch that were counted, each with its number. */
async function takeRound(query: Query, groups: readonly Group[]): Promise<(readonly [number, number])[]> {
  const asked = groups.map(({ take: { day, area, subject, limit: most }, places }) => {
    const n = Math.min(places.length, most);
    return { day, area, subject, n, granted: n, most };
  });
  const [insert, values] = insertion(COUNTS, asked, 'kept');
  const { rows } = await query<Count>(insert + COUNT_ON, values);
  const counted = new Map(rows.map((row) => [idOf(row), row]));
  return groups.flatMap(({ id, places }) => {
    const { n, granted } = counted.get(id) ?? { n: 0, granted: 0 };
    return places.slice(0, granted).map((place, index) => [place, n - granted + index + 1] as const);
  });
}

function idOf({ day, area, subject }: Pick<Count, 'day' | 'area' | 'subject'>): string {
  return `${day} ${area} ${subject}`;
}
