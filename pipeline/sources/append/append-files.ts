import { stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { LedgerFindings } from '../../ledger/check/findings.ts';
import type { LedgerEvent } from '../../ledger/events/event.ts';
import type { LookAlikes } from '../../ledger/events/look-alikes.ts';
import { type Appended, LedgerWriter } from '../../ledger/writing/ledger-writer.ts';
import { formatCount, formatNumber } from '../../words/number.ts';
import type { LocalLedger } from '../own-ledger.ts';
import { type Format, openInput, type RowFile, readRowFile } from '../rows/event-rows.ts';
import { type Mapping, readMapping } from '../rows/mapping.ts';
import { Batch } from './batch.ts';

/** Findings of each severity that are printed; the others are counted. */
const MOST_PRINTED = 20;

export interface AppendedFiles {
  /** Null: standard input. */
  files: readonly string[] | null;
  /** Null: as their names or first characters say. */
  format: Format | null;
  /** A mapping, or a folder of them; null: the columns are named as the members. */
  mapping: string | null;
  dryRun: boolean;
  strict: boolean;
  sort: boolean;
  /** How long to wait for another writer, ms. */
  waitMs: number;
}

export interface Appending {
  now: () => number;
  progress: {
    stage(line: string): void;
    end(): void;
    fault(line: string, level?: 'error' | 'warn'): void;
  };
  /** What events contradict in the ledger, which takes as long as a rebuild reads it. */
  contradictions: () => Promise<{ of(event: LedgerEvent): string[]; names: LookAlikes }>;
}

/** Appends all events of the files to a ledger, or none. Reports every error and warning. Throws locked, and the errors of reading files. */
export async function appendFiles(
  ledger: LocalLedger,
  { files, format, mapping, dryRun, strict, sort, waitMs }: AppendedFiles,
  { now, progress, contradictions }: Appending,
) {
  const mappings = await mappingFiles(files ?? [], mapping);
  const findings = new LedgerFindings();
  const holder = `ledger append, process ${process.pid}`;
  using writer = await LedgerWriter.open(ledger.ledger, { ...ledger, now, waitMs, holder, dryRun });
  if (dryRun || strict) progress.stage('folding the ledger');
  const before = dryRun || strict ? await contradictions() : null;
  const whole = before && {
    contradictions: (event: LedgerEvent) => before.of(event),
    names: before.names,
  };
  const known = await writer.repeatable();
  const several = (files?.length ?? 1) > 1;
  const batch = new Batch({ findings, strict, sort, several, known, ...whole });
  progress.stage(dryRun ? 'checking the events' : `appending to ${ledger.ledger}`);
  const seq = writer.end.size;
  const drafts = batch.drafts(openFiles(files ?? ['-'], format, mappings));
  const appended = await appendAll(writer, batch, drafts);
  progress.end();
  report(progress, findings, batch);
  const result = describe(ledger.ledger, batch, appended, { seq, dryRun });
  return {
    facts: { ...result, findings: findings.listed },
    lines: batch.errors === 0 ? [formatResult(result)] : [],
    errors: batch.errors,
  };
}

/** Null if the batch has errors: nothing is appended then. */
async function appendAll(
  writer: LedgerWriter,
  batch: Batch,
  drafts: ReturnType<Batch['drafts']>,
): Promise<Appended | null> {
  try {
    return await writer.append(drafts, batch.appendOptions);
  } catch (error) {
    // The batch has it, with all others.
    if (batch.errors > 0) return null;
    throw error;
  }
}

async function* openFiles(
  paths: readonly string[],
  format: Format | null,
  mappingOf: (path: string) => Promise<Mapping | null>,
): AsyncGenerator<RowFile> {
  for (const path of paths) {
    const mapping = await mappingOf(path);
    yield await readRowFile(openInput(path === '-' ? null : path, process.stdin), { format, mapping });
  }
}

/** The mapping of each table: one for all, or in a folder `votes.json` for `votes.csv`. Reads all before the ledger is locked. */
async function mappingFiles(
  paths: readonly string[],
  given: string | null,
): Promise<(path: string) => Promise<Mapping | null>> {
  if (given === null) return async () => null;
  const isFolder = (await stat(given).catch(() => null))?.isDirectory() ?? false;
  const fileOf = (path: string) => (isFolder ? join(given, `${parse(path).name}.json`) : given);
  const read = new Map<string, Mapping>();
  for (const path of isFolder ? paths : ['-']) read.set(fileOf(path), await readMapping(fileOf(path)));
  return async (path) => read.get(fileOf(path)) ?? readMapping(fileOf(path));
}

/** Prints errors and warnings, some of each and the number of all. */
function report(
  progress: Appending['progress'],
  { listed }: LedgerFindings,
  { errors, warnings }: Batch,
): void {
  const totals = { error: errors, warning: warnings };
  for (const severity of ['error', 'warning'] as const) {
    const own = listed.filter((one) => one.severity === severity).slice(0, MOST_PRINTED);
    let shown = 0;
    for (const { code, place, message, count } of own) {
      const times = count === 1 ? '' : ` (${formatNumber(count)} times)`;
      progress.fault(
        `${severity}: ${place}: ${message}${times} (${code})`,
        severity === 'error' ? 'error' : 'warn',
      );
      shown += count;
    }
    const more = totals[severity] - shown;
    if (more > 0) progress.fault(`and ${formatCount(more, `more ${severity}`)}`, 'warn');
  }
  if (errors > 0) progress.fault(`${formatCount(errors, 'error')}: nothing is appended`);
}

interface Result {
  ledger: string;
  dry_run: boolean;
  appended: number;
  left_out: number;
  errors: number;
  warnings: number;
  first: Place | null;
  last: Place | null;
}

interface Place {
  seq: number;
  timestamp: string;
}

function describe(
  ledger: string,
  { errors, warnings, leftOut, first }: Batch,
  appended: Appended | null,
  { seq, dryRun }: { seq: number; dryRun: boolean },
): Result {
  const { count, last } = appended ?? { count: 0, last: null };
  const placeOf = (event: LedgerEvent | null) => event && { seq: event.seq, timestamp: event.timestamp };
  return {
    ledger,
    dry_run: dryRun,
    appended: count,
    left_out: leftOut,
    errors,
    warnings,
    first: appended && first && { ...placeOf(first)!, seq },
    last: placeOf(last),
  };
}

function formatResult({ dry_run, appended, left_out, first, last }: Result): string {
  const rest = left_out === 0 ? '' : `; ${formatCount(left_out, 'row')} left out by the mapping`;
  if (!first || !last) return `no event to append${rest}`;
  const what = `${formatCount(appended, 'event')}${dry_run ? ' could be appended' : ' appended'}`;
  const seqs = appended === 1 ? `seq ${first.seq}` : `seq ${first.seq} to ${last.seq}`;
  const times =
    first.timestamp === last.timestamp ? last.timestamp : `${first.timestamp} to ${last.timestamp}`;
  return `${what}: ${seqs}, ${times}${rest}`;
}
