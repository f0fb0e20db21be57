import { flagsFor } from '../../pipeline/config/config.ts';
import type { Config } from '../../pipeline/config/settings.ts';
import { software } from '../../pipeline/config/software.ts';
import type { Running } from '../../pipeline/sources/open-ledger.ts';
import { recordNextRun } from '../scheduler/record-run.ts';
import { type RunResult, type Schedule, schedule, sleepUntil } from '../scheduler/schedule.ts';
import { scheduledBuild } from '../scheduler/scheduled-build.ts';
import { openCosigning } from './cosigning.ts';
import { RUN_SETTINGS } from './run-settings.ts';
import { openBetweenRuns, type TurnConfig } from './turn.ts';

/** `flags`: the options of the service that were given, name → text. */
export interface Scheduling extends Running {
  flags: ReadonlyMap<string, string>;
}

/** What the log says after a run, before the time of the next one. */
const ANNOUNCEMENTS: Record<RunResult, string> = {
  current: 'The next release is due at',
  behind: 'The ledger has not sealed the snapshot that is due. The next attempt is at',
  incomplete: 'The data are published; what is missing is tried again at',
  failed: 'The run failed; the published release is unchanged. The next attempt is at',
};

/**
 * Runs `cathedral build` at once and after each slot until `signal` aborts, and keeps the pointer of a shared bucket between the runs.
 */
export async function runOnSchedule(
  config: TurnConfig & Pick<Config, 'sealDelay' | 'witnesses'>,
  context: Scheduling,
  signal: AbortSignal,
): Promise<void> {
  const cosigning = await openCosigning(config, context, signal);
  const between = await openBetweenRuns(config, context, signal);
  try {
    const planned = scheduleOf(config, context, signal, async (next) => {
      cosigning?.resume();
      await recordNextRun(config.out, next);
      await between?.announce(next);
    });
    const run = async () => {
      await cosigning?.pause();
      return planned.run();
    };
    await schedule({ ...planned, run });
  } finally {
    await cosigning?.pause();
    await between?.close();
  }
}

/** The flags of the runs that a service starts. */
export function flagsOfRuns({ baseUrl }: Pick<Config, 'baseUrl'>, given: Scheduling['flags']): string[] {
  // A run does not listen, so it would not know the port that the address follows.
  const others = RUN_SETTINGS.filter((name) => name !== 'baseUrl');
  return [...flagsFor(others, given), `--base-url=${baseUrl}`];
}

function scheduleOf(
  { out, sealDelay, baseUrl }: Pick<Config, 'out' | 'sealDelay' | 'baseUrl'>,
  { flags: given, now, progress }: Scheduling,
  signal: AbortSignal,
  announce: (next: number) => Promise<void>,
): Schedule {
  const delayMs = sealDelay * 1000;
  const flags = flagsOfRuns({ baseUrl }, given);
  return {
    run: () =>
      scheduledBuild({ out, software: software(), flags, delayMs, now, signal, note: progress.note }),
    async announce(result, next) {
      await announce(next).catch((error: Error) => progress.note(error.message));
      progress.note(`${ANNOUNCEMENTS[result]} ${new Date(next).toISOString().slice(0, 16)}Z.`);
    },
    now,
    sleepUntil,
    delayMs,
    signal,
  };
}
