import type { Area } from '../../../pipeline/artifacts/artifact.ts';
import type { Query } from '../../../pipeline/postgres/connection.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import { sqlState } from '../../../pipeline/postgres/fault.ts';
import type { CountRequest, CountStore } from './count-store.ts';

/** check_violation: the day has no partition yet. */
const NO_PARTITION = '23514';

/** In the order of the key, so that two machines that count the same subjects wait for each other and do not deadlock. */
const TAKE = `
  INSERT INTO cathedral.counts AS kept (day, area, subject, n, granted, most)
  SELECT day::date, area, subject, least(wanted, most), least(wanted, most), most
  FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[]) AS asked (day, area, subject, wanted, most)
  ORDER BY asked.day, asked.area COLLATE "C", asked.subject COLLATE "C"
  ON CONFLICT (day, area, subject) DO UPDATE SET n = least(kept.n + excluded.n, excluded.most),
    granted = least(kept.n + excluded.n, excluded.most) - kept.n, most = excluded.most
  WHERE kept.n < excluded.most
  RETURNING to_char(day, 'YYYY-MM-DD') AS day, area, subject, n, granted`;

/** The requests of a batch for one subject under one limit. */
interface Group {
  id: string;
  take: CountRequest;
  /** Their places in the batch. */
  places: number[];
}

/** Counts in a database that several machines share. Closing it leaves the database open. */
export function postgresCountStore(database: Database): CountStore {
  return new PostgresCountStore(database);
}

class PostgresCountStore implements CountStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async takeAll(takes: readonly CountRequest[]): Promise<(number | null)[]> {
    if (takes.length === 0) return [];
    const rounds = groupTakes(takes);
    // A statement can change a row only once; several limits of one subject are rare.
    const days = takes.map(({ day }) => day);
    const results = await this.#inPartitions(days, () =>
      rounds.length === 1
        ? takeRound(this.#database.query, rounds[0]!)
        : this.#database.transaction(async (query) => {
            const all: (readonly [number, number])[] = [];
            for (const round of rounds) all.push(...(await takeRound(query, round)));
            return all;
          }),
    );
    const numbers = new Map(results);
    return takes.map((_, place) => numbers.get(place) ?? null);
  }

  async count(day: string, area: Area, subject: string): Promise<number> {
    const select = 'SELECT n FROM cathedral.counts WHERE day = $1::date AND area = $2 AND subject = $3';
    const { rows } = await this.#database.query<{ n: number }>(select, [day, area, subject]);
    return rows[0]?.n ?? 0;
  }

  async secret(day: string, candidate: Uint8Array): Promise<Uint8Array> {
    const offer = 'INSERT INTO cathedral.count_secrets VALUES ($1::date, $2) ON CONFLICT DO NOTHING';
    await this.#inPartitions([day], () => this.#database.query(offer, [day, Buffer.from(candidate)]));
    const select = 'SELECT secret FROM cathedral.count_secrets WHERE day = $1::date';
    const { rows } = await this.#database.query<{ secret: Buffer }>(select, [day]);
    return new Uint8Array(rows[0]!.secret);
  }

  async prune(before: string): Promise<void> {
    await this.#database.query('SELECT cathedral.drop_days_of_counts($1::date)', [before]);
  }

  async check(): Promise<void> {
    // A commit that has to be flushed, and confirmed by a standby, and leaves no row behind.
    await this.#database.query("SELECT pg_logical_emit_message(true, 'cathedral', '')");
  }

  async close(): Promise<void> {}

  /** The first request of a day makes its partitions. */
  async #inPartitions<T>(days: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== NO_PARTITION) throw error;
      for (const day of new Set(days)) await addDayOfCounts(this.#database, day);
      return work();
    }
  }
}

/** Makes the partitions of a day, if there are none. */
export async function addDayOfCounts({ query }: Database, day: string): Promise<void> {
  await query('SELECT cathedral.add_day_of_counts($1::date)', [day]);
}

/** The groups of each statement: one of them for each subject. */
function groupTakes(takes: readonly CountRequest[]): Group[][] {
  const groups = new Map<string, Group[]>();
  for (const [place, take] of takes.entries()) {
    const id = idOf(take.day, take.area, take.subject);
    const own = groups.get(id) ?? [];
    groups.set(id, own);
    const group = own.find((one) => one.take.limit === take.limit);
    if (group) group.places.push(place);
    else own.push({ id, take, places: [place] });
  }
  const all = [...groups.values()];
  const rounds = Math.max(...all.map((own) => own.length));
  return Array.from({ length: rounds }, (_, round) => all.flatMap((own) => own[round] ?? []));
}

/** The places in the batch that were counted, each with its number. */
async function takeRound(query: Query, groups: readonly Group[]): Promise<(readonly [number, number])[]> {
  const { rows } = await query<{ day: string; area: string; subject: string; n: number; granted: number }>(
    TAKE,
    [
      groups.map(({ take }) => take.day),
      groups.map(({ take }) => take.area),
      groups.map(({ take }) => take.subject),
      groups.map(({ places }) => places.length),
      groups.map(({ take }) => take.limit),
    ],
    'take counts',
  );
  const counted = new Map(rows.map((row) => [idOf(row.day, row.area, row.subject), row]));
  return groups.flatMap(({ id, places }) => {
    const { n, granted } = counted.get(id) ?? { n: 0, granted: 0 };
    return places.slice(0, granted).map((place, index) => [place, n - granted + index + 1] as const);
  });
}

function idOf(day: string, area: string, subject: string): string {
  return `${day} ${area} ${subject}`;
}
