import type { BuildReport } from '../../pipeline/build/build.ts';
import { PUBLISHER_LEASE } from '../../pipeline/build/cluster.ts';
import { partsLacking, type RunProgress } from '../../pipeline/build/publish-parts.ts';
import { CathedralError, ERROR_CODES, firstError } from '../../pipeline/errors.ts';
import { readCurrent } from '../../pipeline/release/format/release.ts';
import {
  MAX_FINDINGS,
  type Part,
  readStatus,
  type Status,
  writeStatus,
} from '../../pipeline/release/format/status.ts';

export interface RunRecord {
  out: string;
  software: string;
  now: () => number;
  /** Keeps the status. Default: in OUT/status.json. */
  keep?: (status: Status) => Promise<void>;
}

/**
 * Runs, and records the outcome in OUT/status.json, and meanwhile what the run tells. A run that did not start because another one
 * holds the lock of OUT records no outcome: the status is that of the other run. Throws what the run throws.
 */
export async function recordRun(
  record: RunRecord,
  run: (runs: RunProgress) => Promise<BuildReport>,
): Promise<BuildReport> {
  const startedAt = record.now();
  let asked: readonly Part[] | null = null;
  try {
    const report = await run({
      begins: (makes) => {
        asked ??= makes;
        return recordRunning(record, { started_at: formatTime(startedAt), makes: [...makes] });
      },
      hasPublished: (report) => write(record, startedAt, resultOf(report), report.lacks),
    });
    await write(record, startedAt, resultOf(report), report.lacks);
    return report;
  } catch (thrown) {
    const error = firstError(thrown);
    const isLocked = error instanceof CathedralError && error.code === 'locked' && isOfRuns(error, record);
    // A full disk may not take the status either; the error of the run is the one to report.
    if (!isLocked) await writeFailure(record, startedAt, errorOf(error), asked).catch(() => {});
    throw error;
  }
}

/** Only on this machine, and not before its first run that published: others see what was published. */
async function recordRunning({ out, keep }: RunRecord, running: Status['running']): Promise<void> {
  const status = keep ? null : await readStatus(out).catch(() => null);
  // What readers may know about a run must not stop it.
  if (status) await writeStatus(out, { ...status, running }).catch(() => {});
}

/** The lock of the output folder, or the turn of another publisher; the lock of the ledger belongs to a writer that records nothing. */
function isOfRuns({ place }: CathedralError, { out }: RunRecord): boolean {
  return place === out || place.startsWith(`the lease ${PUBLISHER_LEASE} `);
}

/** Records a run that could not record itself: it was killed, did not start, or the machine had no memory left for it. */
export async function recordKilledRun(record: RunRecord, startedAt: number, message: string): Promise<void> {
  await writeFailure(record, startedAt, { code: 'publish_failed', message }, null);
}

/** Records the time of the next run, Unix ms. */
export async function recordNextRun(out: string, next: number): Promise<void> {
  const status = await readStatus(out);
  if (status) await writeStatus(out, { ...status, next_run_at: formatTime(next) });
}

/**
 * Records a run that failed. As a rule the release is as it was; but the run can have ended right after it published. `asked`: the parts that
 * it was asked for; null if it cannot say.
 */
async function writeFailure(
  record: RunRecord,
  startedAt: number,
  error: NonNullable<Result['error']>,
  asked: readonly Part[] | null,
): Promise<void> {
  const before = await readStatus(record.out).catch(() => null);
  const release = await readCurrent(record.out).catch(() => null);
  const isAsBefore = before?.release?.id === release?.manifest.release;
  const wanted = asked ?? before?.running?.makes ?? [];
  const lacks = isAsBefore ? before?.release?.lacks : release && partsLacking(release.manifest, wanted);
  await write(record, startedAt, { ...NOTHING, outcome: 'failed', error }, lacks ?? []);
}

type Result = Omit<Status['last_run'], 'started_at' | 'finished_at'>;
const NOTHING = { snapshots: 0, events: 0, findings: { count: 0, latest: [] } };

async function write(
  { out, software, now, keep = (status) => writeStatus(out, status) }: RunRecord,
  startedAt: number,
  result: Result,
  lacks: readonly Part[] = [],
): Promise<void> {
  const previous = await readStatus(out).catch(() => null);
  const release = await readCurrent(out).catch(() => null);
  const next = previous?.next_run_at ?? null;
  await keep({
    format: 'cathedral-status/1',
    service: { software },
    release: release && {
      id: release.manifest.release,
      timestamp: release.manifest.timestamp,
      ledger: release.manifest.ledger,
      lacks: [...lacks],
    },
    running: null,
    last_run: { started_at: formatTime(startedAt), finished_at: formatTime(now()), ...result },
    // A manual run does not move the next scheduled one; without a scheduler there is no next run.
    next_run_at: next !== null && Date.parse(next) > now() ? next : null,
  });
}

function resultOf({ snapshots, events, findings, findingCount, ...report }: BuildReport): Result {
  const { lacks = [], failure = null } = report;
  const latest = findings.slice(-MAX_FINDINGS);
  const read = { snapshots, events, findings: { count: findingCount, latest } };
  if (lacks.length === 0) return { outcome: report.outcome, ...read, error: null };
  return { outcome: 'incomplete', ...read, error: failure && errorOf(failure) };
}

/**
 * The status is public, so it says what is wrong but not where: the text of an error contains paths of this machine, and may
 * quote what a program printed. It stays in the server log.
 */
function errorOf(error: unknown): NonNullable<Result['error']> {
  const known = error instanceof CathedralError;
  const code = known ? error.code : 'publish_failed';
  const message = known
    ? `${ERROR_CODES[code]} The log of the run has the details.`
    : 'The run failed with an unexpected error; its log has the details.';
  return { code, message };
}

function formatTime(ms: number): string {
  return new Date(ms).toISOString();
}
