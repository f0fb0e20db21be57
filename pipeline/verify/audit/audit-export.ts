import type { Config } from '../../config/settings.ts';
import { CathedralError } from '../../errors.ts';
import { counted, formatCount } from '../../words/number.ts';
import { printable } from '../../words/printable.ts';
import { auditLog, auditorTrust, logOrigin, type Reading, unreadable } from '../reader.ts';
import { LogEntries } from './log-entries.ts';
import { type ExportFile, type ExportHead, readExport } from './read-export.ts';
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
  const place = config.what;
  const orUnreadable = (cause: NodeJS.ErrnoException) => {
    throw cause.syscall ? unreadable(place, cause) : cause;
  };
  const file = (await readExport(chunks, place).catch(orUnreadable)) ?? notAnExport(place);
  const options = exportOptions(file.head, config, parsers);
  const trust = { ...config, ...(await auditorTrust(config)) };
  const origin = await logOrigin(config, reading);
  const withKey = await logOrigin(config, reading, config.governmentKey);
  const log = await LogEntries.open(origin, trust.verifiers, withKey);
  const audited = await auditLog(log.log, trust, reading.now());
  reading.progress.stage(`comparing ${place} with the log`);
  const verdict = await verifyExport(file, log, options).catch(orUnreadable);
  const valid = verdict.faults.length === 0 && !audited.seen?.missing;
  return {
    facts: { valid, ...verdict, ...audited.facts },
    lines: formatVerdict(verdict, { file: place, options, about: audited.lines }),
    valid,
  };
}

function notAnExport(place: string): ExportFile {
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

/** For people, with the text of the file escaped: each finding with its line, what was compared, and the verdict. */
function formatVerdict(
  verdict: ExportVerdict,
  { file, options, about }: { file: string; options: ExportOptions; about: readonly string[] },
): string[] {
  const { faults, rows, entries, period, logEndsAt, isAbandoned } = verdict;
  const events = options.wanted ? 'events that pass the filter' : 'events';
  const span = period ? ` from ${period.from} to ${period.to}` : '';
  return [
    ...faults.map(({ line, kind, message }) => printable(`${file}:${line}: ${kind}: ${message}`)),
    ...about,
    ...(isAbandoned
      ? [`Stopped after row ${rows}: so much does not hold that this may be no export of this log.`]
      : [`The log has ${entries} ${events}${span}; the file has ${counted(rows, 'row')}.`]),
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
