import { stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { z } from 'zod';
import { texts } from '../../../pipeline/config/setting.ts';
import { LedgerFindings } from '../../../pipeline/ledger/check/findings.ts';
import type { LedgerEvent } from '../../../pipeline/ledger/events/event.ts';
import { type Appended, LedgerWriter } from '../../../pipeline/ledger/writing/ledger-writer.ts';
import { type LocalLedger, writableLedger } from '../../../pipeline/sources/own-ledger.ts';
import { Batch } from '../../../pipeline/sources/rows/batch.ts';
import {
  FORMATS,
  type Format,
  openInput,
  type RowFile,
  readRowFile,
} from '../../../pipeline/sources/rows/event-rows.ts';
import { type Mapping, readMapping } from '../../../pipeline/sources/rows/mapping.ts';
import { formatCount, formatNumber } from '../../../pipeline/words/number.ts';
import { defineCommand, formatJson, json, SWITCH } from '../command.ts';
import type { Progress } from '../progress.ts';
import { Contradictions } from './contradictions.ts';

/** Findings of each severity that are printed; the others are counted. */
const MOST_PRINTED = 20;

export const ledgerAppend = defineCommand({
  summary: 'Appends events from JSON, NDJSON or CSV files to a ledger in a folder: all of them or none.',
  details:
    'Each event needs a type, an agent and data. The command fills in seq, salt, cycle and, where it is missing, the current time. Every error is printed with its file, line and member, and then nothing is appended. A warning is probably a mistake: a misspelt type, a cycle of another day, an id that a spreadsheet changes. --dry-run and --strict also fold the whole ledger, which takes as long as a rebuild reads it, and warn about contradictions: a mint that does not follow the formula, a sentinel that is not registered. Other writers of the ledger wait until the command has read its input. To follow a table or a file that grows, give it to `start` as the ledger.',
  examples: [
    'cathedral ledger append events.ndjson --ledger /srv/ledger',
    'cathedral ledger append stimmen.csv --mapping stimmen.json --ledger /srv/ledger --dry-run',
    'export-events | cathedral ledger append --format ndjson --ledger /srv/ledger --strict',
  ],
  settings: ['ledger', 'ledgerKey', 'wait', 'mapping'],
  positionals: ['files'],
  flags: {
    files: {
      flag: 'file',
      default: null,
      unit: 'files, or - for standard input',
      description: 'The files to append, in this order. Without one, standard input.',
      many: true,
      schema: texts,
    },
    format: {
      flag: 'format',
      default: null,
      unit: 'one of json, ndjson, csv',
      description:
        'How the files are written. Without it, by the end of their name, or by their first character: json is an array of events or {"events": […]}, ndjson has one event per line, csv has the names of columns in its first line.',
      schema: z.enum(FORMATS),
    },
    dryRun: {
      flag: 'dry-run',
      description: 'Checks everything, contradictions included, and appends nothing.',
      ...SWITCH,
    },
    strict: {
      flag: 'strict',
      description: 'Takes every warning for an error, contradictions included.',
      ...SWITCH,
    },
    sort: {
      flag: 'sort',
      description: 'Sorts the events of all files by time. Without it, events out of order are errors.',
      ...SWITCH,
    },
    json,
  },
  async run(config, { now, print, progress }) {
    const { files, format, dryRun, strict, sort, wait } = config;
    const ledger = await writableLedger(config);
    const mappings = await mappingFiles(files ?? [], config.mapping);
    const findings = new LedgerFindings();
    const holder = `ledger append, process ${process.pid}`;
    const writer = await LedgerWriter.open(ledger.ledger, { ...ledger, now, waitMs: wait * 1000, holder });
    try {
      const before = dryRun || strict ? await contradictionsAfter(ledger, progress) : null;
      const whole = before && {
        contradictions: (event: LedgerEvent) => before.of(event),
        names: before.names,
      };
      const known = await writer.repeatable();
      const batch = new Batch({ findings, strict, sort, known, ...whole });
      progress.stage(dryRun ? 'checking the events' : `appending to ${ledger.ledger}`);
      const seq = writer.end.size;
      const drafts = batch.drafts(openFiles(files ?? ['-'], format, mappings));
      const appended = await appendAll(writer, batch, drafts, dryRun);
      progress.end();
      report(progress, findings, batch);
      const result = describe(ledger.ledger, batch, appended, { seq, dryRun });
      if (config.json) print(formatJson({ ...result, findings: findings.listed }));
      else if (batch.errors === 0) print(formatResult(result));
      return batch.errors === 0 ? 0 : 1;
    } finally {
      writer.close();
    }
  },
});

function contradictionsAfter(ledger: LocalLedger, progress: Progress): Promise<Contradictions> {
  progress.stage('folding the ledger');
  return Contradictions.after(ledger);
}

/** Null if the batch has errors: nothing is appended then. */
async function appendAll(
  writer: LedgerWriter,
  batch: Batch,
  drafts: ReturnType<Batch['drafts']>,
  dryRun: boolean,
): Promise<Appended | null> {
  try {
    return await writer.append(drafts, { ...batch.appendOptions, dryRun });
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
function report(progress: Progress, { listed }: LedgerFindings, { errors, warnings }: Batch): void {
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
