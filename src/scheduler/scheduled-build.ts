import { readStatus } from '../../pipeline/release/format/status.ts';
import { isBehind } from './next-run.ts';
import { type RunRecord, recordKilledRun } from './record-run.ts';
import { runChild } from './run-child.ts';
import type { RunResult } from './schedule.ts';

export interface ScheduledBuild extends RunRecord {
  /** Flags for `cathedral build`. */
  flags: readonly string[];
  /** Between a slot's hour and its run, ms. */
  delayMs: number;
  signal: AbortSignal;
}

/** One `cathedral build` in a process of its own, which writes its own status unless it is killed. */
export async function scheduledBuild(build: ScheduledBuild): Promise<RunResult> {
  const { out, flags, delayMs, now, signal } = build;
  const startedAt = now();
  const end = await runChild(['build', ...flags], signal);
  // A disk that took no release may take no status either; the next try may find room.
  if (end.fault && !signal.aborted) await recordKilledRun(build, startedAt, end.fault).catch(() => {});
  if (end.status !== 0) return 'failed';
  const snapshot = (await readStatus(out))?.release?.ledger.snapshot;
  return snapshot === undefined || isBehind(snapshot, now(), delayMs) ? 'behind' : 'current';
}
