import pg from 'pg';
import { MAX_AHEAD_MS } from '../../ledger/events/draft.ts';
import { formatCount } from '../../words/number.ts';
import type { Final } from './open-writers.ts';
import type { Query, Relation } from './relation.ts';

/** A moment in the ledger's form, with milliseconds. */
const moment = (sql: string) => `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const isAhead = (time: string) => `${time} > now() + interval '${MAX_AHEAD_MS / 1000} seconds'`;
export const valuesOf = (key: readonly string[]) => `(${key.map(pg.escapeLiteral).join(', ')})`;

/** Up to where new rows cannot precede others any more. */
export interface Bound {
  /** SQL condition of the rows up to there. */
  settled: string;
  /** The earliest time that a row after it has, or may still get; null: no row is known or expected there. */
  since: string | null;
}

/** Finds the first row before which others may still appear. `final`: null where the server does not show who writes. */
export async function findBound(
  query: Query,
  { from, time, instant, order, showsWriters }: Relation,
  final: Final | null,
  settle: number,
): Promise<Bound> {
  const held: string[] = [];
  const times: (string | null)[] = [final?.heldSince ?? null];
  if (final) held.push(final.until === null ? 'true' : `(${order.join(', ')}) > ${valuesOf(final.until)}`);
  if (!showsWriters || order.length > 1) {
    const age = `now() - interval '${settle} seconds'`;
    // In the order of ids, one of the future would keep those after it from ever being imported: it is refused.
    held.push(order.length > 1 ? `${time} > ${age}` : `${time} > ${age} AND NOT ${isAhead(time)}`);
    // Rows as old as that may still appear, so their slot stays open.
    const { rows } = await query(`SELECT ${moment(age)} AS since`);
    times.push(rows[0].since);
  }
  let settled = 'true';
  if (final?.heldSince != null && final.until === null) settled = 'false';
  else {
    const keys = order.map((key, at) => `${key} AS k${at}`).join(', ');
    const names = order.map((_, at) => `held.k${at}`);
    const oldest = `min(${instant ?? 'NULL::timestamptz'}) OVER ()`;
    const { rows } = await query(
      `SELECT ${names.map((name) => `${name}::text`).join(', ')}, ${moment('since')} AS since FROM (SELECT ${keys}, ${oldest} AS since FROM ${from} WHERE ${held.join(' OR ')}) AS held ORDER BY ${names.join(', ')} LIMIT 1`,
    );
    const [first] = rows;
    if (first) {
      settled = `(${order.join(', ')}) < ${valuesOf(order.map((_, at) => first[`k${at}`]))}`;
      times.push(first.since);
    }
  }
  return { settled, since: times.filter((one) => one !== null).sort()[0] ?? null };
}

/** Characters of an id in a message: it is checked only when its row is imported. */
const MOST_SHOWN = 200;

/**
 * Says which rows wait for their time, in the order of times; null: none. Their times may be mistaken, and nothing else would say that these
 * rows are not imported.
 */
export async function findFuture(query: Query, { from, order }: Relation): Promise<string | null> {
  if (order.length === 1) return null;
  const [time, id] = order;
  const { rows } = await query(
    `SELECT left(${id}::text, ${MOST_SHOWN}) AS id, ${moment(time!)} AS time, count(*) OVER ()::int AS count FROM ${from} WHERE ${isAhead(time!)} ORDER BY ${time}, ${id} LIMIT 1`,
  );
  if (!rows[0]) return null;
  const { id: first, time: at, count } = rows[0];
  const others = count === 1 ? '' : `, and ${formatCount(count - 1, 'row')} after it`;
  return `row ${first} has the time ${at}, which has not come yet, and waits for it${others}`;
}
