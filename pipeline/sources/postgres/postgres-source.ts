import pg from 'pg';
import { z } from 'zod';
import { type CathedralError, errorOf } from '../../errors.ts';
import { postgresFault } from '../../postgres/fault.ts';
import { OF_ROWS } from '../import/imported-row.ts';
import type { Opening, RowSource, RowView, SourceRow, Start } from '../import/source.ts';
import type { Mapping } from '../rows/mapping.ts';
import type { PostgresAddress } from './address.ts';
import { type Bound, findBound, findFuture, valuesOf } from './held-rows.ts';
import { findFinal, WritersSeen } from './open-writers.ts';
import { findRelation, type Query, type Relation } from './relation.ts';
import { rowReader } from './row-reader.ts';

const failed = errorOf('import_failed');

const SECOND = 1000;
/** Of a server that does not answer. */
const CONNECT_TIMEOUT_MS = 20 * SECOND;
/** Counting some million rows takes seconds. */
const STATEMENT_TIMEOUT_MS = 300 * SECOND;
/** Before it gives the first row, the server may have to sort a hundred million. */
const ROWS_TIMEOUT_MS = 3600 * SECOND;
/** A table is locked against readers while it is altered. */
const LOCK_TIMEOUT_MS = 30 * SECOND;
/** Ends the transaction of an import that has stopped, so that the server can clean up. */
const IDLE_TIMEOUT_MS = 600 * SECOND;
/** After so long without an answer the system asks whether the server is still there. */
const KEEP_ALIVE_MS = 60 * SECOND;
/** By then the server has ended any statement. */
const STALL_TIMEOUT_MS = ROWS_TIMEOUT_MS + 20 * SECOND;
/** Rows that are in memory at a time; most have some hundred bytes. */
const FETCHED_TOGETHER = 200;
/** The newest rows, and as many older ones at a time, which an import compares; it reads some hundred kB of them. */
const WINDOW = 4096;

/** The rows of a table, a view or a query in a PostgreSQL server. `mapping`: null for a table that is written for the ledger. */
export function postgresSource(address: PostgresAddress, mapping: Mapping | null): RowSource {
  return {
    ...OF_ROWS,
    name: address.name,
    oldestFirst: 'add order=timestamp to the address, or sort a query by it',
    isReadTwice: false,
    async open(opening) {
      const client = await connect(address);
      const query: Query = (sql, values) =>
        client.query(sql, values).catch((error: unknown) => {
          throw importFault(error, address.name);
        });
      try {
        await query('BEGIN READ ONLY');
        await query(SET);
        const relation = await findRelation(query, address, mapping);
        const order = relation.order.join();
        const { data: known } = Mark.safeParse(opening.index.state.mark);
        const before = known?.order === order ? known : NO_MARK;
        const final = relation.showsWriters ? await findFinal(query, relation, before.final) : null;
        // The rows are those of a moment after the writers have ended.
        await query('COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        await query(SET);
        const bound = await findBound(query, relation, final, address.settle);
        const future = await findFuture(query, relation);
        const mark = { ...before, order, final: final?.mark ?? null, future };
        // A service imports each minute, and would say the same each time.
        const news = future === before.future ? null : future;
        return new PostgresView({ client, query, relation, bound, news, mark, address, opening });
      } catch (error) {
        await end(client);
        throw error;
      }
    },
  };
}

async function connect({ connection, name }: PostgresAddress): Promise<pg.Client> {
  const client = new pg.Client({
    ...connection,
    application_name: 'cathedral import',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  });
  // Without a listener, a connection that breaks while nothing is asked would end the process. The next query fails.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw importFault(error, name);
  }
  const { stream } = (client as unknown as { connection: { stream: import('node:net').Socket } }).connection;
  stream.setTimeout(STALL_TIMEOUT_MS, () =>
    stream.destroy(new Error(`nothing for ${STALL_TIMEOUT_MS / SECOND} s`)),
  );
  return client;
}

/** A fault may have ended the connection already. */
async function end(client: pg.Client): Promise<void> {
  await client.end().catch(() => undefined);
}

/** Every value as the server prints it: a number may have more digits than a double. */
const FETCH = {
  text: `FETCH ${FETCHED_TOGETHER} FROM source`,
  rowMode: 'array' as const,
  types: { getTypeParser: () => String },
};

/**
 * Of each transaction: PgBouncer refuses most settings of a connection, and gives each transaction another session. Times as text in UTC,
 * numbers with all their digits; and all rows of a cursor are fetched, not only the first.
 */
const SETTINGS = Object.entries({
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  extra_float_digits: 3,
  bytea_output: 'hex',
  IntervalStyle: 'iso_8601',
  // It quotes names of types, too, and json would be a text.
  quote_all_identifiers: 'off',
  cursor_tuple_fraction: 1,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
}).map(([name, value]) => `set_config('${name}', '${value}', true)`);
const SET = `SELECT ${SETTINGS.join(', ')}`;

const literal = (text: string) => pg.escapeLiteral(text);
const keyOf = ({ order }: Relation) => `(${order.join(', ')})`;

const Mark = z.object({
  /** Of the rows. In another one, the keys of rows are others. */
  order: z.string(),
  /** Of `findFinal`. */
  final: WritersSeen.nullable(),
  /** Key of the row up to which older rows were compared again; null: begin with the first. */
  audited: z.array(z.string()).nullable(),
  /** Which ids the rows had up to the last imported one; null: not all that differed was taken. */
  ids: z.string().nullable(),
  /** What was said of rows that wait for their time. */
  future: z.string().nullable(),
});
type Mark = z.output<typeof Mark>;
const NO_MARK: Mark = { order: '', final: null, audited: null, ids: null, future: null };

interface ViewOptions {
  client: pg.Client;
  query: Query;
  relation: Relation;
  bound: Bound;
  /** Which rows wait for their time, where the last import did not say it. */
  news: string | null;
  /** For the next import. */
  mark: Mark;
  address: PostgresAddress;
  opening: Opening;
}

class PostgresView implements RowView {
  readonly #options: ViewOptions;
  readonly #query: Query;
  readonly #relation: Relation;
  /** Key of the last imported row; null before the first. */
  readonly #end: string[] | null;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#query = options.query;
    this.#relation = options.relation;
    this.#end = this.#keyOf(options.opening.index.state.end);
  }

  #keyOf(row: { id: string; timestamp: string } | null): string[] | null {
    return row && (this.#relation.order.length > 1 ? [row.timestamp, row.id] : [row.id]);
  }

  async *some(): AsyncGenerator<SourceRow[]> {
    const { mark, opening } = this.#options;
    const [upTo, before] = [this.#upTo(this.#end!), await this.#beforeNewest(this.#end!)];
    if (before !== null) {
      const most = WINDOW * opening.auditWindows;
      let last: SourceRow | undefined;
      let count = 0;
      const older = `${this.#after(mark.audited)} AND ${this.#upTo(before)}`;
      for await (const rows of this.#rows(older, most)) {
        yield rows;
        [last, count] = [rows.at(-1), count + rows.length];
      }
      mark.audited = count < most ? null : (last!.place as string[]);
    }
    yield* this.#rows(`${upTo} AND ${this.#after(before)}`);
  }

  async isSame(): Promise<boolean> {
    const { ids } = this.#options.mark;
    return ids !== null && ids === (await this.#idsOf(this.#upTo(this.#end!)));
  }

  all(): AsyncGenerator<SourceRow[]> {
    return this.#rows(`(${this.#options.bound.settled} OR ${this.#upTo(this.#end!)})`);
  }

  fresh(start: Start): AsyncGenerator<SourceRow[]> {
    const after = start === 'end' ? this.#end : ((start.last?.place as string[] | undefined) ?? null);
    return this.#rows(`${this.#after(after)} AND ${this.#options.bound.settled}`);
  }

  /** A row whose time was changed may not be settled. */
  async heldIds(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { from, order } = this.#relation;
    const key = order.at(-1)!;
    const { rows } = await this.#query(
      `SELECT ${key}::text AS id FROM ${from} WHERE ${key} IN (${ids.map(literal).join(', ')})`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** No index keeps the ids of a view, a query or several partitions apart. */
  async assertOnce({ id }: SourceRow): Promise<void> {
    const { from, order, id: column } = this.#relation;
    // An index of texts has the order of a language, in which the second condition alone would not find them.
    const isId = [pg.escapeIdentifier(column.name), order.at(-1)].map((key) => `${key} = ${literal(id)}`);
    const { rows } = await this.#query(
      `SELECT count(*)::int AS count FROM ${from} WHERE ${isId.join(' AND ')}`,
    );
    const [{ count }] = rows;
    if (count > 1)
      throw failed(
        `${this.#options.address.name}, row ${id}`,
        'an id that no other row has',
        `${count} rows with it`,
      );
  }

  async held() {
    const { bound, news: future } = this.#options;
    return bound.since === null ? null : { since: bound.since, future };
  }

  async mark(start: Start, _last: SourceRow | null, isWhole: boolean): Promise<Mark> {
    const { mark, opening } = this.#options;
    const end = this.#keyOf(opening.index.state.end);
    if (!isWhole || end === null) mark.ids = null;
    else if (start !== 'end' || mark.ids === null) mark.ids = await this.#idsOf(this.#upTo(end));
    else mark.ids = await this.#idsOf(`${this.#after(this.#end)} AND ${this.#upTo(end)}`, mark.ids);
    return mark;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return end(this.#options.client);
  }

  /**
   * The number of rows and the sum of the hashes of their ids, beside those of other rows. The number alone would be the same where one row
   * came and another one went.
   */
  async #idsOf(where: string, others = '0 0'): Promise<string> {
    const { from, id } = this.#relation;
    const hashed = `hashtextextended(${pg.escapeIdentifier(id.name)}::text COLLATE "C", 0)`;
    const [count, sum] = others.split(' ');
    const { rows } = await this.#query(
      `SELECT count(*) + ${count} AS count, coalesce(sum(${hashed}), 0) + ${sum} AS sum FROM ${from} WHERE ${where}`,
    );
    return `${rows[0].count} ${rows[0].sum}`;
  }

  /** Key of the row behind which the newest rows begin that every import compares; null: they are all. */
  async #beforeNewest(key: readonly string[]): Promise<string[] | null> {
    const { from, order } = this.#relation;
    const keys = order.map((one, at) => `(${one})::text AS k${at}`).join(', ');
    const descending = order.map((one) => `${one} DESC`).join(', ');
    const { rows } = await this.#query(
      `SELECT ${keys} FROM ${from} WHERE ${this.#upTo(key)} ORDER BY ${descending} OFFSET ${WINDOW} LIMIT 1`,
    );
    return rows[0] ? order.map((_, at) => rows[0][`k${at}`]) : null;
  }

  /** The rows of a condition, in their order. */
  async *#rows(where: string, most?: number): AsyncGenerator<SourceRow[]> {
    const { from, columns, order } = this.#relation;
    const select = `SELECT ${columns.map(({ sql }) => sql).join(', ')} FROM ${from}`;
    const limit = most === undefined ? '' : ` LIMIT ${most}`;
    const read = rowReader(this.#relation, this.#options.address.name);
    // The reader before may not have come to its end.
    await this.#query(
      `CLOSE ALL; SET LOCAL statement_timeout = ${ROWS_TIMEOUT_MS}; DECLARE source NO SCROLL CURSOR FOR ${select} WHERE ${where} ORDER BY ${order.join(', ')}${limit}`,
    );
    let next = this.#fetch();
    try {
      for (let rows = await next; rows.length > 0; rows = await next) {
        // The server reads the next rows while these are imported.
        next = this.#fetch();
        yield rows.map(read);
      }
    } finally {
      await next.catch(() => undefined);
    }
    await this.#query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
  }

  #fetch(): Promise<(string | null)[][]> {
    const { client, address } = this.#options;
    const rows = client.query<(string | null)[]>(FETCH).then(
      (result) => result.rows,
      (error: unknown) => {
        throw importFault(error, address.name);
      },
    );
    // Who waits for it learns of a fault.
    rows.catch(() => undefined);
    return rows;
  }

  #after(key: readonly string[] | null): string {
    return key === null ? 'true' : `${keyOf(this.#relation)} > ${valuesOf(key)}`;
  }

  #upTo(key: readonly string[]): string {
    return `${keyOf(this.#relation)} <= ${valuesOf(key)}`;
  }
}

const EXPECTED: Readonly<Record<string, string>> = {
  '42P01': 'a table or view of the database',
  '42501': 'a user that may read the rows: GRANT SELECT, and USAGE on the schema',
  '55P03': 'a table that is not locked against readers',
  // In a database that is SQL_ASCII, where convert_from alone would change nothing.
  '22021': `texts in UTF-8; a query can convert them: convert_from(convert(convert_to("column", 'SQL_ASCII'), 'LATIN1', 'UTF8'), 'SQL_ASCII')`,
  '25P03': 'an import that goes on reading',
  '53300': 'a server with a free connection',
};

/** An error of the database as `import_failed`; `place` names the source. Passes over errors that are one already. */
function importFault(error: unknown, place: string): CathedralError {
  return postgresFault(error, {
    code: 'import_failed',
    place,
    expected: EXPECTED,
    answer: 'rows that can be read',
    connection: 'a connection that lasts until the rows are read',
  });
}
