import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { moduleUrl } from '../../pipeline/config/project.ts';
import { readStatus } from '../../pipeline/release/format/status.ts';
import { type RunRecord, recordKilledRun } from './record-run.ts';
import { isBehind, type RunResult } from './schedule.ts';

export interface ScheduledBuild extends RunRecord {
  /** Flags for `cathedral build`. */
  flags: readonly string[];
  /** Between the hour of a slot and its run, ms. */
  delayMs: number;
  signal: AbortSignal;
}

/** Runs `cathedral build` in a process of its own, which records its own status unless it is killed. */
export async function scheduledBuild(build: ScheduledBuild): Promise<RunResult> {
  const { out, flags, delayMs, now, signal } = build;
  const startedAt = now();
  const end = await runChild(['build', ...flags], signal);
  // A full disk may not take the status either; the next run may find room.
  if (end.fault && !signal.aborted) await recordKilledRun(build, startedAt, end.fault).catch(() => {});
  const status = await readStatus(out).catch(() => null);
  // One that was refused records nothing, so the status can be that of the run before.
  const isOfThisRun = status !== null && Date.parse(status.last_run.started_at) >= startedAt;
  if (end.status !== 0)
    return isOfThisRun && status.last_run.outcome === 'incomplete' ? 'incomplete' : 'failed';
  const snapshot = status?.release?.ledger.snapshot;
  return snapshot === undefined || isBehind(snapshot, now(), delayMs) ? 'behind' : 'current';
}

export interface ChildEnd {
  /** Exit status; null where a signal ended the process, or it did not start. */
  status: number | null;
  /** `SIGKILL`, or why it did not start: `EAGAIN`; null where there is a status. */
  fault: string | null;
}

const CLI = fileURLToPath(moduleUrl('src/cli.ts'));
/** How long a run may take to stop, ms. */
export const RUN_GRACE_MS = 10_000;

/**
 * Runs `cathedral <args>` in a process of its own, so that the server keeps answering and the memory is returned afterwards.
 * The process leads a process group: what it starts (the site's build, a browser) ends with it when `signal` aborts. A process
 * that the system does not start counts as ended, because a retry may succeed. The IPC channel carries nothing; when it closes,
 * the child knows that this process is gone, however it ended.
 */
export async function runChild(args: readonly string[], signal: AbortSignal): Promise<ChildEnd> {
  try {
    return await run(args, signal);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { status: null, fault: code ?? message };
  }
}

async function run(args: readonly string[], signal: AbortSignal): Promise<ChildEnd> {
  const child = spawn(process.execPath, [...process.execArgv, CLI, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  });
  const stop = () => {
    end(child, 'SIGTERM');
    setTimeout(() => end(child, 'SIGKILL'), RUN_GRACE_MS).unref();
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const [status, endSignal] = await once(child, 'exit');
    return { status, fault: endSignal };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function end(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
