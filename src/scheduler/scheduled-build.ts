import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { moduleUrl } from '../../pipeline/config/project.ts';
import { readStatus } from '../../pipeline/release/format/status.ts';
import { type RunRecord, recordKilledRun } from './record-run.ts';
import { isBehind, type RunResult } from './schedule.ts';

export interface ScheduledBuild extends RunRecord, Attended {
  /** Flags for `cathedral build`. */
  flags: readonly string[];
  /** Between the hour of a slot and its run, ms. */
  delayMs: number;
}

interface Attended {
  signal: AbortSignal;
  /** Writes a line to the service's log. */
  note: (line: string) => void;
}

/** Runs `cathedral build` in a process of its own, which records its own status unless it is killed. */
export async function scheduledBuild(build: ScheduledBuild): Promise<RunResult> {
  const { out, flags, delayMs, now } = build;
  const startedAt = now();
  const end = await runBuild(flags, build);
  // A full disk may not take the status either; the next run may find room.
  if (end.unexpected) await recordKilledRun(build, startedAt, end.unexpected).catch(() => {});
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

/** By the system and by V8, where there is no memory left. Nobody else sends a run these; the service itself, SIGKILL when it stops. */
const OUT_OF_MEMORY: ReadonlySet<string> = new Set(['SIGKILL', 'SIGABRT']);

/** Runs `cathedral build`. `unexpected`: what a run that was killed, or did not start, could not say itself; null for others. */
export async function runBuild(
  flags: readonly string[],
  { signal, note }: Attended,
): Promise<{ status: number | null; unexpected: string | null }> {
  const { status, fault } = await runChild(['build', ...flags], signal);
  if (fault === null || signal.aborted) return { status, unexpected: null };
  const why = OUT_OF_MEMORY.has(fault) ? ', probably because the memory did not suffice' : '';
  const unexpected = `The run ended unexpectedly: ${fault}${why}.`;
  note(unexpected);
  return { status, unexpected };
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
