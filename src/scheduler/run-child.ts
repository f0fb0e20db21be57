import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ChildEnd {
  /** Exit status; null where a signal ended the process, or it did not start. */
  status: number | null;
  /** `SIGKILL`, or why it did not start: `EAGAIN`; null where there is a status. */
  fault: string | null;
}

const CLI = fileURLToPath(new URL('../cli.ts', import.meta.url));
/** How long a run may take to end when it is told to, ms. */
export const RUN_GRACE_MS = 10_000;

/**
 * Runs `cathedral <args>` in a process of its own: answering requests goes on meanwhile, and its memory is given back.
 * It leads a process group, so that what it has started (the site's build, a browser) ends with it when `signal` aborts.
 * A process that the system does not start is an end like any other: there may be room for the next one.
 * The channel to it carries nothing: that it closes tells the child that this process is gone, however it ended.
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
  const child = spawn(process.execPath, [CLI, ...args], {
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
