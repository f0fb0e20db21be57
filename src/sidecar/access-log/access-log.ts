import { CathedralError } from '../../../pipeline/errors.ts';
import type { Database } from '../../../pipeline/postgres/database.ts';
import { openSqlite, type SqliteOptions } from '../../../pipeline/sql/sqlite.ts';
import type { SqlStore } from '../../../pipeline/sql/store.ts';
import { LOG_FILE } from '../../../pipeline/sql/tables.ts';
import { GroupCommit } from '../storage/group-commit.ts';
import { type Access, type AccessRecord, FIRST_LINK, type Link, recordAccess } from './entry.ts';
import { readLog } from './log-reader.ts';
import { appendEntries, assertMayAppend } from './log-table.ts';
import { REFUSAL_LIMITS, type RefusalLimits, Refusals } from './refusals.ts';
import { assertHasSigned, type HeadStore } from './signed-heads.ts';

export interface AccessLog {
  /**
   * Resolves when the entry is stored, or when a refused request beyond the budget has been counted for a later summary entry.
   * Rejects with store_failed, access_log_broken, locked or overloaded (or a RangeError for an invalid time): then the answer
   * must not be sent.
   */
  append: (access: Access) => Promise<void>;
  /** Rejects with the error that the next entry would get. */
  check: () => Promise<void>;
  /** Closes the log after all appended entries are written. */
  close: () => Promise<void>;
}

interface AccessLogOptions {
  refusals?: RefusalLimits;
  /** Called once per fault of the log, and with null when the fault is over. */
  onChange?: (fault: unknown) => void;
}

/** How long refused requests are counted before a summary entry is written, ms. A kill loses at most this much. */
const SUM_MS = 60_000;

/**
 * The log in a file of this machine, which has to have the entry of the newest of `heads`, so a log that was cut off while no server ran is noticed.
 * A folder that cannot be written is tried again with each entry. A file that is removed while it is in use is not made again, because a
 * new log would hide the loss.
 */
export function openLogFile(
  path: string,
  {
    waitMs,
    heads,
    ...options
  }: AccessLogOptions & Pick<SqliteOptions, 'waitMs'> & { heads?: HeadStore } = {},
): AccessLog {
  const open = () => openSqlite(path, LOG_FILE, waitMs === undefined ? {} : { waitMs });
  const signed = async (store: SqlStore) => (heads ? assertHasSigned(readLog(store), heads) : null);
  return openLog({ open, signed, close: (store) => store.close() }, options);
}

/** The log in a database. Closing it leaves the database open. */
export function openLogIn(database: Database, options: AccessLogOptions = {}): AccessLog {
  const nothing = async () => null;
  return openLog({ open: async () => database, signed: nothing, close: nothing }, options);
}

interface LogPlace {
  open(): Promise<SqlStore>;
  /** The newest entry that was signed; null: none. Throws access_log_broken if the log lacks it. */
  signed(store: SqlStore): Promise<Link | null>;
  close(store: SqlStore): Promise<unknown>;
}

/**
 * Any number of servers may write to a log at once; their entries form one chain. Entries that arrive together are stored together, and floods
 * of refused requests are summarised. Entries and checks reject with access_log_broken if the store lacks the entry that this process wrote last
 * or its head does not fit, and with store_failed if the store fails.
 */
function openLog(
  { open, signed, close }: LogPlace,
  { refusals: refusalLimits = REFUSAL_LIMITS, onChange = () => undefined }: AccessLogOptions,
): AccessLog {
  const noteFault = onChangedFault(onChange);
  let store: SqlStore | null = null;
  /** The entry that the log has to have. */
  let acknowledged: Link | null = null;
  /** Settles when everything asked of the store so far is done: one thing after the other. */
  let turn: Promise<unknown> = Promise.resolve();
  const use = (work: (store: SqlStore, last: Link) => Promise<Link>): Promise<void> => {
    const used = turn
      .then(async () => {
        store ??= await open();
        acknowledged ??= (await signed(store)) ?? FIRST_LINK;
        acknowledged = await work(store, acknowledged);
      })
      .then(
        () => noteFault(null),
        (error) => {
          noteFault(error);
          throw error;
        },
      );
    turn = used.catch(() => undefined);
    return used;
  };
  const appends = new GroupCommit<AccessRecord, void>({
    commit: async (batch) => {
      await use((store, last) => appendEntries(store, batch, last));
      return [];
    },
  });
  const refusals = new Refusals(refusalLimits);
  const writeSum = async () => {
    const sum = refusals.takeSum();
    await (sum && appends.add(recordAccess(sum.access)).catch(sum.giveBack));
  };
  const summing = setInterval(() => void writeSum(), SUM_MS).unref();
  let checking: Promise<void> | null = null;
  return {
    append: async (access) => {
      if (!access.isRefused || refusals.take(access)) await appends.add(recordAccess(access));
    },
    check: () => {
      checking ??= use(assertMayAppend).finally(() => {
        checking = null;
      });
      return checking;
    },
    close: async () => {
      clearInterval(summing);
      await writeSum();
      await appends.idle();
      await turn;
      if (store) await close(store);
    },
  };
}

/** Reports a fault when it begins, changes its code, or ends. */
function onChangedFault(onChange: (fault: unknown) => void): (error: unknown) => void {
  let known: string | null = null;
  return (error) => {
    const code = error === null ? null : error instanceof CathedralError ? error.code : 'unexpected';
    if (code === known) return;
    known = code;
    onChange(error);
  };
}
