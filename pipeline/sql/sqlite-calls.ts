import { setTimeout as sleep } from 'node:timers/promises';
import { CathedralError, type ErrorCode, type Fault } from '../errors.ts';
import { isBusy, SqliteFile, type SqliteForm } from './sqlite-file.ts';

/** What is asked of a file. */
export type Call =
  | { call: 'open'; path: string; form: SqliteForm; mustExist: boolean }
  /** `begins`: a transaction, of which it is the first statement. */
  | { call: 'run'; text: string; values: readonly unknown[]; begins: boolean }
  | { call: 'commit' | 'rollback' | 'check' | 'scrub' | 'close' };

/** Errors lose their class between threads, so they travel as plain members. */
export type Failure = { code: ErrorCode; fault: Fault } | { message: string };
export type Outcome = { wasReplaced: boolean } & ({ result: unknown } | { failure: Failure });

/** Other processes hold a lock for milliseconds. */
const RETRY_MS = 1;

/** Carries out calls on one file, and tries again while another process has a lock. */
export class SqliteCalls {
  readonly #waitMs: number;
  #file: SqliteFile | null = null;

  /** `waitMs`: how long to wait for a lock. */
  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  async handle(call: Call): Promise<Outcome> {
    const outcome = await this.#attempt(call);
    return { ...outcome, wasReplaced: this.#file?.takeReplaced() ?? false };
  }

  async #attempt(call: Call): Promise<{ result: unknown } | { failure: Failure }> {
    for (const until = performance.now() + this.#waitMs; ; ) {
      try {
        return { result: this.#carryOut(call) };
      } catch (error) {
        if (!isBusy(error) || performance.now() >= until) return { failure: failureOf(error) };
      }
      await sleep(RETRY_MS);
    }
  }

  #carryOut(call: Call): unknown {
    if (call.call === 'open') {
      this.#file = new SqliteFile(call.path, call.form, call);
      return null;
    }
    const file = this.#file!;
    if (call.call !== 'run') return file[call.call]();
    if (call.begins) file.begin();
    return file.run(call.text, call.values);
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof CathedralError) {
    const { code, place, expected, found } = error;
    return { code, fault: { place, expected, found } };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
