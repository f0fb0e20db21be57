import type { BuildReport } from '../../pipeline/build/build.ts';
import { CathedralError, ERROR_CODES } from '../../pipeline/errors.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import { MAX_FINDINGS, readStatus, type Status, writeStatus } from '../../pipeline/release/format/status.ts';

export interface RunRecord {
  out: string;
  software: string;
  now: () => number;
}

/**
 * Does a run and says in OUT/status.json how it went. A run that another one kept from beginning is not recorded: the
 * status is the other's. Throws what the run throws.
 */
export async function recordRun(record: RunRecord, run: () => Promise<BuildReport>): Promise<BuildReport> {
  const startedAt = record.now();
  try {
    const report = await run();
    await write(record, startedAt, resultOf(report));
    return report;
  } catch (error) {
    const isOther = error instanceof CathedralError && error.code === 'locked';
    // A disk that takes no release may take no status either; the run's own error is the one to tell.
    if (!isOther) await write(record, startedAt, failureOf(error)).catch(() => {});
    throw error;
  }
}

/** Says that a run ended without a word: it was killed, or the machine had no memory left for it. */
export async function recordKilledRun(record: RunRecord, startedAt: number, how: string): Promise<void> {
  const error = { code: 'publish_failed', message: `The run ended by ${how}.` } as const;
  await write(record, startedAt, { ...NOTHING, outcome: 'failed', error });
}

/** Says when the next run will be. */
export async function recordNextRun(out: string, next: number): Promise<void> {
  const status = await readStatus(out);
  if (status) await writeStatus(out, { ...status, next_run_at: formatTime(next) });
}

type Result = Omit<Status['last_run'], 'started_at' | 'finished_at'>;
const NOTHING = { snapshots: 0, events: 0, findings: { count: 0, latest: [] } };

async function write({ out, software, now }: RunRecord, startedAt: number, result: Result): Promise<void> {
  const before = await readStatus(out).catch(() => null);
  const release = await readCurrent(out).catch(() => null);
  const next = before?.next_run_at ?? null;
  await writeStatus(out, {
    format: 'cathedral-status/1',
    service: { software },
    release: release && {
      id: release.manifest.release,
      timestamp: release.manifest.timestamp,
      ledger: release.manifest.ledger,
    },
    last_run: { started_at: formatTime(startedAt), finished_at: formatTime(now()), ...result },
    // A run by hand does not move the next one; without a scheduler there is none.
    next_run_at: next !== null && Date.parse(next) > now() ? next : null,
  });
}

function resultOf({ outcome, snapshots, events, findings }: BuildReport): Result {
  const latest = findings.slice(-MAX_FINDINGS);
  return { outcome, snapshots, events, findings: { count: findings.length, latest }, error: null };
}

/**
 * Anybody can read the status, so it says what is wrong and not where: an error's own text has paths of this machine, and may
 * hold anything that a program printed. It stays in the log.
 */
function failureOf(error: unknown): Result {
  const known = error instanceof CathedralError;
  const code = known ? error.code : 'publish_failed';
  const message = known
    ? `${ERROR_CODES[code].meaning} The run’s log says more.`
    : 'The run failed in a way that was not foreseen; its log says how.';
  return { ...NOTHING, outcome: 'failed', error: { code, message } };
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
