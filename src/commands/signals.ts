import type { Progress } from './progress.ts';

/** Exit status of a process that a signal ended, as shells report it: 128 and the signal's number. */
const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Exit status of a service that stopped in order. Not 0 after SIGHUP: nobody asked for it, so whatever restarts failed services
 * has to restart it.
 */
let status = 0;
export const stopped = () => status;

/**
 * Handles stop signals. `untilStopped` is what a command's context offers; `end` ends what still waits for it after the command, which keeps
 * a service that could not start from staying as a process that does nothing. A second signal ends any command at once. `ignored`: names of
 * signals that were ignored when the program started, and stay so.
 */
export function handleSignals(
  progress: Progress,
  ignored: readonly string[],
): { untilStopped: () => AbortSignal; end: () => void } {
  const controller = new AbortController();
  let stopsInOrder = false;
  const stop = (how: string, exitStatus: number) => {
    if (stopsInOrder && !controller.signal.aborted) {
      if (how === 'SIGHUP') status = exitStatus;
      return controller.abort();
    }
    progress.end('stopped');
    progress.note(`Stopped by ${how}; what was published is unchanged.`);
    process.exit(exitStatus);
  };
  for (const [signal, exitStatus] of Object.entries(SIGNALS))
    if (!ignored.includes(signal)) process.on(signal, () => stop(signal, exitStatus));
  // `cathedral start`, which started this process, is gone: nobody else would stop it.
  process.on('disconnect', () => stop('the end of its service', SIGNALS.SIGHUP));
  process.channel?.unref();
  const untilStopped = () => {
    stopsInOrder = true;
    return controller.signal;
  };
  return { untilStopped, end: () => controller.abort() };
}
