import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { CathedralError, type ErrorCode, type Fault } from '../errors.ts';
import { isBusy, SqliteFile, type SqliteForm } from './sqlite-file.ts';

/** What the thread does with one of its files. */
export type Call =
  | { call: 'open'; path: string; form: SqliteForm; mustExist: boolean }
  /** `begins`: a transaction, of which it is the first statement. */
  | { call: 'run'; text: string; values: readonly unknown[]; begins: boolean }
  | { call: 'commit' | 'rollback' | 'check' | 'scrub' | 'close' };

/** `waitMs`: how long to wait for a lock that another process has. */
export type Request = Call & { id: number; file: number; waitMs: number };

/** Errors lose their class between threads, so they travel as plain members. */
export type Reply = { id: number; wasReplaced: boolean } & (
  | { result: unknown }
  | { failure: { code: ErrorCode; fault: Fault } | { message: string } }
);

/** Other processes hold a lock for milliseconds. */
const RETRY_MS = 1;

const port = parentPort!;
const files = new Map<number, SqliteFile>();

port.on('message', async (request: Request) => {
  const { id, file } = request;
  const done = await attempt(request);
  port.postMessage({ id, ...done, wasReplaced: files.get(file)?.takeReplaced() ?? false } satisfies Reply);
});

/** Meanwhile, other files are used. The next request for the same file comes after the answer. */
async function attempt(request: Request) {
  for (const until = performance.now() + request.waitMs; ; ) {
    try {
      return { result: carryOut(request) };
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) return { failure: failureOf(error) };
    }
    await sleep(RETRY_MS);
  }
}

function carryOut(request: Request): unknown {
  if (request.call === 'open') {
    files.set(request.file, new SqliteFile(request.path, request.form, request));
    return null;
  }
  const file = files.get(request.file)!;
  if (request.call === 'close') files.delete(request.file);
  if (request.call === 'run') {
    if (request.begins) file.begin();
    return file.run(request.text, request.values);
  }
  return file[request.call]();
}

function failureOf(error: unknown) {
  if (error instanceof CathedralError) {
    const { code, place, expected, found } = error;
    return { code, fault: { place, expected, found } };
  }
  return { message: error instanceof Error ? error.message : String(error) };
}
