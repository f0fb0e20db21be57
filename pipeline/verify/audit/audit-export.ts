import type { Config } from '../../config/settings.ts';
import { CathedralError } from '../../errors.ts';
import type { Checkpoint } from '../../ledger/notes/checkpoint.ts';
import type { Verifier } from '../../ledger/notes/note.ts';
import { formatCount } from '../../words/number.ts';
import { printable } from '../../words/printable.ts';
import { CHECKPOINT } from '../log.ts';
import { auditorTrust, logOrigin, type Reading, readHeld, unreadable, witnessing } from '../reader.ts';
import { assertExtendsKept, type KeptCheckpoint } from '../signed-log.ts';
import { LogEntries } from './log-entries.ts';
import { type ExportHead, readExport } from './read-export.ts';
import { type ExportOptions, type ExportVerdict, verifyExport } from './verify-export.ts';

interface AuditConfig extends Pick<Config, 'out' | 'timeLimit' | 'governmentKey' | 'ledgerKey' | 'policy'> {
  /** The name of the file, for messages. */
  what: string;
  /** What was exported; null: as the file says. */
  from: string | null;
  to: string | null;
  filter: string | null;
  /** Null: the log of `out`. */
  logUrl: string | null;
  heldCheckpoint: string | null;
}

/** How the server reads the parameters of an export, so that the same text means the same. Each throws usage. */
export interface ExportParsers {
  from(text: string): string;
  to(text: string): string;
  filter(text: string): NonNullable<ExportOptions['wanted']>;
}

/**
 * Compares an audited export with the log. Throws proof_refused for another file, usage for parameters that the server would refuse, and the
 * errors of reading a log.
 */
export async function auditExport(
  config: AuditConfig,
  chunks: AsyncIterable<Uint8Array>,
  reading: Reading,
  parsers: ExportParsers,
) {
  const { now, progress } = reading;
  const place = config.what;
  const file = await openExport(chunks, place);
  const options = exportOptions(file.head, config, parsers);
  const { policy, verifiers } = await auditorTrust(config);
  const origin = await logOrigin(config, reading);
  const log = await LogEntries.open(
    origin,
    verifiers,
    await logOrigin(config, reading, config.governmentKey),
  );
  const seen = await witnessing(log.log.note, policy, { place: origin.placeOf(CHECKPOINT), now: now() });
  const held = await readHeld(config.heldCheckpoint);
  const goesOnFrom = held && (await assertExtendsKept(log.log, held, verifiers)).size;
  progress.stage(`comparing ${place} with the log`);
  const verdict = await verifyExport(file, log, options).catch((cause) => {
    throw cause.syscall ? unreadable(place, cause) : cause;
  });
  const { checkpoint, verifier: key } = log.log;
  const valid = verdict.faults.length === 0 && !seen?.missing;
  const seenBy = seen ? [seen.line] : [];
  return {
    facts: { valid, ...verdict, ...checkpoint, goesOnFrom, witnesses: seen?.facts ?? null },
    lines: formatVerdict(verdict, { file: place, checkpoint, key, held, goesOnFrom, options, seenBy }),
    valid,
  };
}

async function openExport(chunks: AsyncIterable<Uint8Array>, place: string) {
  const file = await readExport(chunks, place).catch((cause) => {
    throw cause.syscall ? unreadable(place, cause) : cause;
  });
  if (file) return file;
  throw new CathedralError('proof_refused', {
    place: `${place}:1`,
    expected: 'the first line of an audited export as CSV, JSON or NDJSON',
    found: 'other text',
  });
}

/** What an export covers: as the flags say, or else as the file does. */
function exportOptions(
  head: ExportHead | null,
  given: Pick<AuditConfig, 'from' | 'to' | 'filter'>,
  parse: ExportParsers,
): ExportOptions {
  const from = given.from ?? (head ? head.from : undefined);
  const to = given.to ?? head?.to;
  const filter = given.filter ?? head?.filter;
  return {
    from: from == null ? from : parse.from(from),
    to: to == null ? undefined : parse.to(to),
    wanted: filter == null ? null : parse.filter(filter),
  };
}

interface Comparison {
  file: string;
  checkpoint: Checkpoint;
  key: Pick<Verifier, 'name' | 'id'>;
  /** An earlier checkpoint that the log had to extend, and its number of events; null: none was given. */
  held: Pick<KeptCheckpoint, 'place'> | null;
  goesOnFrom: number | null;
  options: ExportOptions;
  /** What the witnesses of the policy said; empty: none was given. */
  seenBy: readonly string[];
}

/** For people, with the text of the file escaped: each finding with its line, what was compared, and the verdict. */
function formatVerdict(verdict: ExportVerdict, comparison: Comparison): string[] {
  const { faults, rows, entries, period, logEndsAt, isAbandoned } = verdict;
  const { file, checkpoint, key, held, goesOnFrom, options, seenBy } = comparison;
  const events = options.wanted ? 'events that pass the filter' : 'events';
  const span = period ? ` from ${period.from} to ${period.to}` : '';
  return [
    ...faults.map(({ line, kind, message }) => printable(`${file}:${line}: ${kind}: ${message}`)),
    `Compared with the log ${checkpoint.origin}, ${checkpoint.size} events, root hash ${checkpoint.root}, signed by ${key.name}+${key.id}.`,
    ...seenBy,
    ...(held ? [printable(`It extends the ${goesOnFrom} events of ${held.place}.`)] : []),
    ...(isAbandoned
      ? [`Stopped after row ${rows}: this is not an export of this log.`]
      : [`The log has ${entries} ${events}${span}; the file has ${rows} rows.`]),
    ...boundNotes(options),
    ...(logEndsAt
      ? [`The log ends at ${logEndsAt}, before the period does: nothing is proved about later events.`]
      : []),
    faults.length === 0
      ? 'The export is complete: every row is in the log, in order, and no row is missing.'
      : `The export differs from the log: ${formatCount(faults.length, 'finding')}.`,
  ];
}

/** What could not be verified. */
function boundNotes({ from, to }: ExportOptions): string[] {
  const open = [...(from === undefined ? ['--from'] : []), ...(to === undefined ? ['--to'] : [])];
  if (open.length === 0) return [];
  return [
    `The period was taken from the rows of the file. Give ${open.join(' and ')} to find missing rows at its ends too.`,
  ];
}
