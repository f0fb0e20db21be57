import { CathedralError } from '../../../pipeline/errors.ts';
import { GroupCommit } from '../storage/group-commit.ts';
import { type Access, type AccessRecord, recordAccess } from './entry.ts';
import { REFUSAL_LIMITS, type RefusalLimits, Refusals } from './refusals.ts';

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

/** Where entries are stored. Members are never called concurrently, except `close`, which is called last. */
export interface LogStorage {
  /** Appends all records to the chain or none. Resolves when they would survive a power failure. */
  append: (records: readonly AccessRecord[]) => Promise<void>;
  /** Rejects with the error that the next append would get. */
  check: () => Promise<void>;
  close: () => Promise<void>;
}

export interface AccessLogOptions {
  refusals?: RefusalLimits;
  /** Called once per fault of the log, and with null when the fault is over. */
  onChange?: (fault: unknown) => void;
}

/** How long refused requests are counted before a summary entry is written, ms. A kill loses at most this much. */
const SUM_MS = 60_000;

/** A log over its storage: entries that arrive together are stored together, and floods of refused requests are summarised. */
export function createAccessLog(
  storage: LogStorage,
  { refusals: refusalLimits = REFUSAL_LIMITS, onChange = () => undefined }: AccessLogOptions = {},
): AccessLog {
  const noteFault = onChangedFault(onChange);
  /** Settles when the storage has done everything asked of it so far. */
  let turn: Promise<unknown> = Promise.resolve();
  const use = (work: () => Promise<void>): Promise<void> => {
    const used = turn.then(work).then(
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
      await use(() => storage.append(batch));
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
      checking ??= use(storage.check).finally(() => {
        checking = null;
      });
      return checking;
    },
    close: async () => {
      clearInterval(summing);
      await writeSum();
      await appends.idle();
      await turn;
      await storage.close();
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
