import { existsSync } from 'node:fs';
import type { PrintedArtifact, YearlyArtifact } from '../artifacts/artifact.ts';
import type { Documents } from '../artifacts/documents.ts';
import { HISTORIES } from '../artifacts/table.ts';
import type { Companions } from '../attestation/companions.ts';
import { CathedralError, type ErrorCode, withHint } from '../errors.ts';
import type { Leaf, LedgerPosition } from '../ledger/log/leaf.ts';
import type { Verifier } from '../ledger/notes/note.ts';
import { type SnapshotFile, snapshotFile } from '../ledger/reading/directory.ts';
import { readCheckpoint } from '../ledger/reading/read-checkpoint.ts';
import { readSnapshots } from '../ledger/reading/read-snapshot.ts';
import { apply } from '../model/fold.ts';
import { isNewDay, yearOf } from '../model/period.ts';
import type { State } from '../model/state.ts';
import type { Facts } from '../release/format/manifest.ts';
import { type HistoryWriter, openHistory } from '../release/history/history.ts';
import { FORK_HINT } from '../release/log/assert-ledger-holds.ts';
import type { Staging } from '../release/staging/staging.ts';
import { counted, formatCount } from '../words/number.ts';
import { closeYear } from './data-file.ts';
import { EventDaysWriter } from './event-days-writer.ts';
import type { RunLog } from './extend-log.ts';
import type { Resume } from './resume.ts';

/** Errors that a diverged ledger causes when a run resumes where the last release ended. */
const CODES: ReadonlySet<ErrorCode> = new Set(['ledger_order', 'ledger_root']);

/**
 * Adds advice to an error on resuming: either the ledger is a different one or, if it still has the published snapshot (already
 * compared), a later one is missing or damaged. Returns other errors unchanged.
 */
export function withForkHint(cause: unknown, ledger: string, { size, snapshot }: LedgerPosition): unknown {
  if (size === 0 || !(cause instanceof CathedralError) || !CODES.has(cause.code)) return cause;
  if (snapshot !== null && existsSync(snapshotFile(ledger, snapshot).checkpoint))
    return withHint(
      cause,
      `the ledger has what was published, up to ${snapshot}; a snapshot after that is missing or damaged: restore it from the ledger’s own back-up`,
    );
  return withHint(
    cause,
    `this ledger does not extend the ${counted(size, 'published event')} up to ${snapshot}, or its copy is damaged; ${FORK_HINT}`,
  );
}

/** Events between two lines of progress. */
const PROGRESS_EVERY = 250_000;

interface FoldOptions {
  staging: Staging;
  documents: Documents;
  companions: Companions;
  baseUrl: string;
  verifiers: Verifier[];
  snapshots: SnapshotFile[];
  resume: Resume;
  /** Null: the log is not extended. */
  runLog: Pick<RunLog, 'take'> | null;
  log: (line: string) => void;
}

export interface Folded extends Resume {
  /** Number of events that this run read. */
  events: number;
  /** Contradictions that it found, as sentences; the last one may stand for several. */
  findings: string[];
  /** How many contradictions that are. */
  findingCount: number;
  /** The ledger's head as of the last snapshot read. */
  ledger: Facts['ledger'];
  histories: Map<string, HistoryWriter>;
  days: EventDaysWriter;
  /** The year in which this run resumed; 0 from genesis. Earlier runs closed the years before. */
  resumedYear: number;
}

/**
 * Folds the new snapshots into the state and adds their rows to the histories; writes the final file of each year that ends. Nothing
 * is published unless the last snapshot's root matches its signed checkpoint.
 */
export async function foldSnapshots(options: FoldOptions): Promise<Folded> {
  const { staging, snapshots, resume, log } = options;
  const writers = await Promise.all(HISTORIES.map((artifact) => openHistory(staging, artifact)));
  const days = await EventDaysWriter.open(staging, resume.position.timestamp);
  let { position, state } = resume;
  let ledger = staging.previous?.manifest.ledger;
  const seen = state.findings.total;
  const resumedYear = state.year.year;
  if (snapshots.length > 0)
    log(`reading ${formatCount(snapshots.length, 'snapshot')} after ${position.snapshot ?? 'genesis'}`);
  const goal = goalOf(snapshots, options.verifiers);
  for await (const part of readSnapshots(snapshots, position, options.verifiers)) {
    await options.runLog?.take(part, goal);
    const { leaves, end } = part;
    if (leaves) {
      for (const { event } of leaves) days.add(event);
      state = await foldBatch(leaves, state, writers, options);
      for (const writer of writers) await writer.drain();
      continue;
    }
    logProgress(position, end.position, log);
    position = end.position;
    const { origin, size, root } = end.checkpoint;
    ledger = { origin, snapshot: position.snapshot!, size, root };
  }
  if (!ledger || position.size === 0) throw noEvents();
  const findingCount = state.findings.total - seen;
  const findings = newFindings(state, findingCount);
  for (const finding of findings) log(`finding: ${finding}`);
  const histories = new Map(HISTORIES.map((artifact, index) => [artifact.path, writers[index]!]));
  return {
    position,
    state,
    ledger,
    histories,
    days,
    resumedYear,
    events: position.size - resume.position.size,
    findings,
    findingCount,
  };
}

/** Size of the ledger at the end of these snapshots. */
function goalOf(snapshots: readonly SnapshotFile[], verifiers: readonly Verifier[]): number {
  const last = snapshots.at(-1);
  return last ? readCheckpoint(last, verifiers).checkpoint.size : 0;
}

/** The positions in HISTORIES of those whose rows are added with events and not only at the end of a day. */
const BY_EVENT = HISTORIES.flatMap(({ dayRows }, index) => (dayRows ? [] : [index]));

/** The hot path of a rebuild: awaits only at the end of a year. */
async function foldBatch(
  leaves: Leaf[],
  from: State,
  writers: HistoryWriter[],
  options: FoldOptions,
): Promise<State> {
  let state = from;
  for (const leaf of leaves) {
    const { timestamp, seq } = leaf.event;
    if (state.events > 0 && yearOf(timestamp) !== state.year.year) await closeYear(state, options);
    if (isNewDay(state, timestamp)) addDayRows(state, writers);
    state = apply(state, leaf);
    for (const index of BY_EVENT) {
      const rows = HISTORIES[index]!.rows(leaf);
      if (rows.length > 0) writers[index]!.add(rows, timestamp, [seq]);
    }
  }
  return state;
}

function addDayRows(state: State, writers: HistoryWriter[]): void {
  const ofDay = eventsOfDay(state);
  for (const [index, artifact] of HISTORIES.entries()) {
    const rows = artifact.dayRows?.(state) ?? [];
    const events = artifact.dayEvents?.(state);
    for (const [row, text] of rows.entries()) writers[index]!.add([text], state.asOf, events?.[row] ?? ofDay);
  }
}

/** Indices of the first and the last event of the state's day, which is over. */
function eventsOfDay({ events, day }: State): [first: number, last: number] {
  const count = Object.values(day.events).reduce((sum, one) => sum + one, 0);
  return [events - count, events - 1];
}

/** As sentences. The state keeps the newest hundred of the last thirty days; older ones are only counted. */
function newFindings(state: State, count: number): string[] {
  const messages = count === 0 ? [] : state.findings.recent.slice(-count).map(({ message }) => message);
  const older = count - messages.length;
  if (older === 0) return messages;
  const earlier = formatCount(older, 'earlier contradiction');
  return [...messages, `${earlier}, only counted here: “cathedral ledger check” says what they are`];
}

function logProgress(before: LedgerPosition, after: LedgerPosition, log: (line: string) => void): void {
  const step = (size: number) => Math.floor(size / PROGRESS_EVERY);
  if (step(after.size) > step(before.size))
    log(`read ${counted(after.size, 'event')}, up to ${after.timestamp}`);
}

function noEvents(): CathedralError {
  return new CathedralError('ledger_unreadable', {
    place: 'snapshots/',
    expected:
      'a ledger with a sealed event: events are sealed, and then published, once their slot has ended, at 00, 06, 12 or 18 h UTC',
    found: 'none',
  });
}

type Closing = Pick<YearlyArtifact | PrintedArtifact, 'closedPath'>;

/** The files of years that earlier runs closed, as far as the previous release has them. */
export function earlierFiles(
  { previous }: Staging,
  folded: Folded,
  { closedPath }: Closing,
): { path: string }[] {
  const published = new Set(previous?.manifest.files.map(({ path }) => path));
  return yearsBetween(yearOf(folded.state.since), folded.resumedYear)
    .map((year) => ({ path: closedPath(year) }))
    .filter(({ path }) => published.has(path));
}

/** From `first` to the year before `end`. */
export function yearsBetween(first: number, end: number): number[] {
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
}
