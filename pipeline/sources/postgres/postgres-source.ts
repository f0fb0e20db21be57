import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { OF_ROWS } from '../import/imported-row.ts';
import type { RowPlace } from '../import/row-index.ts';
import type { RowSource, RowView, SourceRow, Stretch } from '../import/source.ts';
import type { Mapping } from '../rows/mapping.ts';
import type { PostgresAddress } from './address.ts';
import { CopyText } from './copy-text.ts';
import { importFault } from './fault.ts';
import { type Final, findFinal } from './open-writers.ts';
import { findRelation, type Relation } from './relation.ts';
import { rowReader } from './row-reader.ts';

const SECOND = 1000;
/** Of a server that does not answer. */
const CONNECT_TIMEOUT_MS = 20 * SECOND;
/** Counting some million rows takes seconds. */
const STATEMENT_TIMEOUT_MS = 300 * SECOND;
/** Streaming a hundred million rows takes minutes, as long as this process can write them. */
const STREAM_TIMEOUT_MS = 3600 * SECOND;
/** A table is locked against readers while it is altered. */
const LOCK_TIMEOUT_MS = 30 * SECOND;
/** Ends the transaction of an import that has stopped, so that the server can clean up. */
const IDLE_TIMEOUT_MS = 600 * SECOND;
/** After so long without an answer the system asks whether the server is still there. */
const KEEP_ALIVE_MS = 60 * SECOND;
/** By then the server has ended any statement. */
const STALL_TIMEOUT_MS = STREAM_TIMEOUT_MS + 20 * SECOND;

/** The rows of a table, a view or a query in a PostgreSQL server. `mapping`: null for a table that is written for the ledger. */
export function postgresSource(address: PostgresAddress, mapping: Mapping | null): RowSource {
  return {
    ...OF_ROWS,
    name: address.name,
    oldestFirst: 'add order=timestamp to the address, or sort a query by it',
    async open({ mark }) {
      const connection = await connect(address);
      try {
        return await openView(connection, address, mapping, mark);
      } catch (error) {
        await connection.end();
        throw importFault(error, address.name);
      }
    },
  };
}

/** A connection, which a fault may have ended. */
interface Connection {
  client: pg.Client;
  query(sql: string, values?: unknown[]): Promise<pg.QueryResult>;
  end(): Promise<void>;
}

async function connect({ connection, name }: PostgresAddress): Promise<Connection> {
  const client = new pg.Client({
    ...connection,
    application_name: 'cathedral import',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
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
  return {
    client,
    query: (sql, values) => client.query(sql, values),
    end: () => client.end().catch(() => undefined),
  };
}

/** Times as text in UTC, numbers with all their digits. */
const FORMATS =
  "SELECT set_config('TimeZone', 'UTC', true), set_config('DateStyle', 'ISO, YMD', true), set_config('extra_float_digits', '3', true), set_config('bytea_output', 'hex', true), set_config('IntervalStyle', 'iso_8601', true)";

async function openView(
  { query, ...connection }: Connection,
  address: PostgresAddress,
  given: Mapping | null,
  mark: string | null,
): Promise<RowView> {
  await query('BEGIN READ ONLY');
  await query(FORMATS);
  const relation = await findRelation(query, address, given);
  const final = relation.showsWriters ? await findFinal(query, relation, mark) : null;
  // The rows are those of a moment after the writers have ended.
  await query('COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await query(FORMATS);
  const view = new PostgresView({ query, ...connection }, address, relation, final);
  await view.findBound();
  return view;
}

class PostgresView implements RowView {
  #heldSince: string | null = null;
  readonly mark: string | null;
  readonly #final: Final | null;
  readonly #connection: Connection;
  readonly #address: PostgresAddress;
  readonly #relation: Relation;
  /** SQL condition of the rows that new ones cannot precede any more. */
  #settled = 'true';

  /** `final`: null where the server does not show who writes. */
  constructor(connection: Connection, address: PostgresAddress, relation: Relation, final: Final | null) {
    this.mark = final?.mark ?? null;
    this.#final = final;
    this.#connection = connection;
    this.#address = address;
    this.#relation = relation;
  }

  /** Finds the first row before which others may still appear. */
  async findBound(): Promise<void> {
    const { from, time, order, showsWriters } = this.#relation;
    const conditions: string[] = [];
    if (this.#final) conditions.push(keysAfter(order, this.#final.until));
    if (!showsWriters || order.length > 1) {
      const age = `now() - interval '${this.#address.settle} seconds'`;
      conditions.push(`${time} > ${age}`);
      // Rows as old as that may still appear, so their slot stays open.
      const { rows } = await this.#query(`SELECT ${age} AS since`);
      this.#heldSince = new Date(rows[0].since).toISOString();
    }
    const open = this.#final?.heldSince ?? null;
    if (open !== null && (this.#heldSince === null || open < this.#heldSince)) this.#heldSince = open;
    if (open !== null && this.#final!.until === null) {
      this.#settled = 'false';
      return;
    }
    const held = conditions.map((condition) => `(${condition})`).join(' OR ');
    const keys = order.map((key, at) => `${key} AS k${at}`).join(', ');
    const { rows } = await this.#query(
      `SELECT ${order.map((_, at) => `k${at}::text`).join(', ')}, since FROM (SELECT ${keys}, min(${this.#relation.instant ?? 'NULL::timestamptz'}) OVER () AS since FROM ${from} WHERE ${held}) AS held ORDER BY ${order.map((_, at) => `held.k${at}`).join(', ')} LIMIT 1`,
    );
    const [row] = rows;
    if (!row) return;
    const bound = order.map((_, at) => literal(row[`k${at}`]));
    this.#settled = `(${order.join(', ')}) < (${bound.join(', ')})`;
    const since = row.since === null ? null : new Date(row.since).toISOString();
    if (since !== null && (this.#heldSince === null || since < this.#heldSince)) this.#heldSince = since;
  }

  async *rows(after: RowPlace | null, until?: RowPlace): AsyncGenerator<SourceRow[]> {
    const { from, columns, sortKeys } = this.#relation;
    const conditions = [this.#after(after), until ? this.#upTo(until) : this.#settled];
    const select = `SELECT ${columns.map(({ sql }) => sql).join(', ')} FROM ${from}`;
    const sql = `${select} WHERE ${conditions.join(' AND ')} ORDER BY ${sortKeys}`;
    const read = rowReader(this.#relation, this.#address.name);
    try {
      await this.#query(`SET LOCAL statement_timeout = ${STREAM_TIMEOUT_MS}`);
      const stream = this.#connection.client.query(copyTo(`COPY (${sql}) TO STDOUT`));
      const text = new CopyText();
      for await (const chunk of stream) {
        const rows = text.push(chunk as Buffer);
        if (rows.length > 0) yield rows.map(read);
      }
      await this.#query(`SET LOCAL statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
    } catch (error) {
      throw importFault(error, this.#address.name);
    }
  }

  /** Those that have another number of rows. */
  async suspects(windows: readonly Stretch[], imported: (window: Stretch) => number): Promise<Stretch[]> {
    const { from } = this.#relation;
    const counts: number[] = [];
    for (let at = 0; at < windows.length; at += COUNTED_TOGETHER) {
      const some = windows.slice(at, at + COUNTED_TOGETHER);
      const parts = some.map(
        ({ after, until }) =>
          `(SELECT count(*)::int FROM ${from} WHERE ${this.#after(after)} AND ${this.#upTo(until)})`,
      );
      const { rows } = await this.#query(`SELECT ARRAY[${parts.join(', ')}] AS counts`);
      counts.push(...rows[0].counts);
    }
    return windows.filter((window, at) => imported(window) !== counts[at]);
  }

  /** A row whose time was changed has another place. */
  async elsewhere(ids: ReadonlySet<string>): Promise<Set<string>> {
    const { from, order } = this.#relation;
    const key = order.at(-1)!;
    const found = new Set<string>();
    const values = [...ids].map(literal);
    for (let at = 0; at < values.length; at += SOUGHT_TOGETHER) {
      const some = values.slice(at, at + SOUGHT_TOGETHER).join(', ');
      const { rows } = await this.#query(`SELECT ${key}::text AS id FROM ${from} WHERE ${key} IN (${some})`);
      for (const { id } of rows) found.add(id);
    }
    return found;
  }

  async held() {
    return this.#heldSince === null ? null : { since: this.#heldSince };
  }

  async close(): Promise<void> {
    await this.#connection.end();
  }

  #after(place: RowPlace | null): string {
    return place === null ? 'true' : this.#compare('>', place);
  }

  #upTo(place: RowPlace): string {
    return this.#compare('<=', place);
  }

  #compare(sign: string, place: RowPlace): string {
    const { order } = this.#relation;
    const values = order.length > 1 ? [place.timestamp, place.id] : [place.id];
    return `(${order.join(', ')}) ${sign} (${values.map(literal).join(', ')})`;
  }

  async #query(sql: string) {
    try {
      return await this.#connection.query(sql);
    } catch (error) {
      throw importFault(error, this.#address.name);
    }
  }
}

const COUNTED_TOGETHER = 64;
const SOUGHT_TOGETHER = 1000;

/** SQL condition of the rows after a key; of all rows for null. */
function keysAfter(order: readonly string[], key: readonly string[] | null): string {
  return key === null ? 'true' : `(${order.join(', ')}) > (${key.map(literal).join(', ')})`;
}

const literal = (text: string) => pg.escapeLiteral(text);
