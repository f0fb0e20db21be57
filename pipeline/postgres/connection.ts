import type pg from 'pg';
import { errorOf } from '../errors.ts';
import type { Answer, Query } from '../sql/store.ts';
import { sqlState, storeFault } from './fault.ts';

const notCommitted = errorOf('store_failed');

/** The server ends, or has become a standby. */
const GONE = /^(57P0[123]|25006)$/;

type Notice = Pick<pg.DatabaseError, 'code' | 'routine'> & { message?: string | undefined };

/** What happened to a connection. */
interface Course {
  /** The warning that a commit was not confirmed by a standby. */
  unconfirmed: Notice | null;
  /** The connection cannot be used any more, or its server cannot. */
  hasEnded: boolean;
  /** The server was still busy with a statement when the time for it was over. */
  isAbandoned: boolean;
}

const COURSES = new WeakMap<pg.ClientBase, Course>();

export function courseOf(client: pg.ClientBase): Course {
  const known = COURSES.get(client);
  if (known) return known;
  const course: Course = { unconfirmed: null, hasEnded: false, isAbandoned: false };
  client.on('notice', (notice: Notice) => {
    if (isUnconfirmed(notice)) course.unconfirmed = notice;
  });
  COURSES.set(client, course);
  return course;
}

/** One statement of a connection, committed unless it is a part of a transaction. */
export async function runStatement<Row>(
  client: pg.ClientBase,
  place: string,
  ...[text, values, name]: Parameters<Query>
): Promise<Answer<Row>> {
  const { rows, rowCount } = await run(client, place, text, values, name);
  return { rows: rows as Row[], count: rowCount ?? 0 };
}

/** How long somebody who was paused may hold a lock that others wait for: less than they do. */
const MOST_IDLE_MS = 2_000;

/** Commits what `work` did, or nothing. `lock`: a name in lower case; no other transaction with it runs at the same time. */
export async function runTransaction<T>(
  client: pg.ClientBase,
  place: string,
  work: (query: Query) => Promise<T>,
  lock?: string,
): Promise<T> {
  let result: T;
  try {
    // One round trip, since others wait for each while the lock is held. Not a lock of a table, which would keep vacuum out.
    const locking = `SELECT pg_advisory_xact_lock(hashtext('cathedral.${lock}')),
      set_config('idle_in_transaction_session_timeout', '${MOST_IDLE_MS}', true)`;
    await run(client, place, `BEGIN ISOLATION LEVEL READ COMMITTED${lock ? `; ${locking}` : ''}`);
    result = await work((...statement) => runStatement(client, place, ...statement));
  } catch (error) {
    // A connection that ended took its transaction along.
    if (!courseOf(client).hasEnded) await run(client, place, 'ROLLBACK').catch(() => undefined);
    throw error;
  }
  const { command } = await run(client, place, 'COMMIT');
  // After an error that `work` did not pass on, COMMIT rolls back and reports no error.
  if (command !== 'COMMIT') throw notCommitted(place, 'a transaction without an error', `${command}`);
  return result;
}

async function run(client: pg.ClientBase, place: string, ...[text, values = [], name]: Parameters<Query>) {
  const course = courseOf(client);
  course.unconfirmed = null;
  let result: pg.QueryResult;
  try {
    // A text without values may have several statements.
    const answered =
      values.length > 0 ? client.query({ text, values: [...values], name }) : client.query(text);
    const all = (await answered) as pg.QueryResult | pg.QueryResult[];
    result = Array.isArray(all) ? all.at(-1)! : all;
  } catch (error) {
    const state = sqlState(error);
    if (state === null || GONE.test(state)) course.hasEnded = true;
    if (state === null && /^Query read timeout/.test((error as Error).message)) course.isAbandoned = true;
    throw storeFault(error, place);
  }
  if (course.unconfirmed) {
    const { message = 'a warning' } = course.unconfirmed as Notice;
    throw notCommitted(place, 'a commit that the synchronous standby confirms', message);
  }
  return result;
}

/** Whoever cancels the wait for a standby makes the commit succeed, with a warning, whose text may be in any language. */
function isUnconfirmed({ code, routine }: Notice): boolean {
  return routine === 'SyncRepWaitForLSN' || code === '57P01' || code === '01000';
}
