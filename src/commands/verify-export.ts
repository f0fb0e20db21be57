import { createReadStream } from 'node:fs';
import { printable } from '../../pipeline/attestation/printable.ts';
import { text } from '../../pipeline/config/setting.ts';
import { CathedralError } from '../../pipeline/errors.ts';
import type { LedgerEvent } from '../../pipeline/ledger/events/event.ts';
import type { Checkpoint } from '../../pipeline/ledger/notes/checkpoint.ts';
import type { Verifier } from '../../pipeline/ledger/notes/note.ts';
import {
  formatWitnessing,
  missingQuorum,
  readWitnesses,
} from '../../pipeline/ledger/notes/witness-quorum.ts';
import { assertExtendsKept, type KeptCheckpoint } from '../../pipeline/verify/audit/audited-log.ts';
import { LogEntries } from '../../pipeline/verify/audit/log-entries.ts';
import { type ExportHead, readExport } from '../../pipeline/verify/audit/read-export.ts';
import {
  type ExportOptions,
  type ExportVerdict,
  verifyExport as verify,
} from '../../pipeline/verify/audit/verify-export.ts';
import { formatCount } from '../../pipeline/words/number.ts';
import { Problem } from '../api/problem.ts';
import { parseFrom, parseTo } from '../api/query/export-query.ts';
import { matches, parseFilter } from '../api/query/filter.ts';
import { defineCommand, formatJson, json } from './command.ts';
import { logSource, logUrl } from './prove.ts';
import { auditorTrust, heldCheckpoint, readHeld, witnessesOf } from './reader.ts';
import { unreadable } from './verify-proof.ts';

export const verifyExport = defineCommand({
  summary: 'Verifies an audited export against the log: that every row is in it, and that no row is missing.',
  details:
    'To verify a proof of a single event use `verify-proof`. This command reads the log of --out, or with --url that of a service, for which it needs a government key in CATHEDRAL_GOVERNMENT_KEY.',
  examples: [
    'cathedral verify-export ledger-export.csv --from 2025-12-01 --to 2025-12-31 --out /srv/cathedral',
    'cathedral verify-export export.json --url https://data.example.org --json',
  ],
  isReader: true,
  settings: ['out', 'timeLimit', 'governmentKey', 'ledgerKey', 'policy'],
  positionals: ['export'],
  flags: {
    export: {
      flag: 'export',
      default: null,
      unit: 'a file, or - for standard input',
      description: 'The audited export, as CSV, JSON or NDJSON.',
      required: true,
      schema: text,
    },
    from: {
      flag: 'from',
      default: null,
      unit: 'a date or a date-time, as in the address of the export',
      description:
        'The start of the period that was exported. Without it, the start that a JSON file names, or else its oldest row; rows missing before that are not noticed.',
      schema: text,
    },
    to: {
      flag: 'to',
      default: null,
      unit: 'a date or a date-time, as in the address of the export',
      description:
        'The end of the period that was exported. Without it, the end that a JSON file names, or else its newest row.',
      schema: text,
    },
    filter: {
      flag: 'filter',
      default: null,
      unit: 'RSQL, as in the address of the export',
      description: 'The filter of the export. Without it, the one that a JSON file names, or else none.',
      schema: text,
    },
    logUrl,
    heldCheckpoint,
    json,
  },
  async run(config, context) {
    const { now, print, progress } = context;
    const place = config.export;
    const file = await openExport(place);
    const options = exportOptions(file.head, config);
    const { policy, verifiers } = await auditorTrust(config);
    const source = logSource(config, context, config.governmentKey);
    const log = await LogEntries.open(source, verifiers);
    const checkpointPlace = `${source.name}/checkpoint`;
    const witnessing =
      policy && (await readWitnesses(log.log.note, policy, { place: checkpointPlace, now: now() }));
    const missing = witnessing && missingQuorum(witnessing, checkpointPlace);
    const held = await readHeld(config.heldCheckpoint);
    const goesOnFrom = held && (await assertExtendsKept(log.log, held, verifiers)).size;
    progress.stage(`comparing ${place} with the log`);
    const verdict = await verify(file, log, options).catch((cause) => {
      throw cause.syscall ? unreadable(place, cause) : cause;
    });
    progress.end();
    const { checkpoint, verifier: key } = log.log;
    const valid = verdict.faults.length === 0 && missing === null;
    const witnesses = witnessing && witnessesOf(witnessing);
    if (config.json) print(formatJson({ valid, ...verdict, ...checkpoint, goesOnFrom, witnesses }));
    else {
      const seenBy = missing
        ? [printable(missing.message)]
        : witnessing
          ? [`${formatWitnessing(witnessing, now())}.`]
          : [];
      const comparison = { file: place, checkpoint, key, held, goesOnFrom, options, seenBy };
      for (const line of formatVerdict(verdict, comparison)) print(line);
    }
    return valid ? 0 : 1;
  },
});

async function openExport(place: string) {
  const bytes = place === '-' ? process.stdin : createReadStream(place, { highWaterMark: 1 << 20 });
  const file = await readExport(bytes, place).catch((cause) => {
    throw cause.syscall ? unreadable(place, cause) : cause;
  });
  if (file) return file;
  throw new CathedralError('proof_refused', {
    place: `${place}:1`,
    expected: 'the first line of an audited export as CSV, JSON or NDJSON',
    found: 'other text',
  });
}

type Bounds = Readonly<Record<'from' | 'to' | 'filter', string | null>>;

/** What an export covers: as the flags say, or else as the file does. Throws usage. */
function exportOptions(head: ExportHead | null, flags: Bounds): ExportOptions {
  const from = flags.from ?? (head ? head.from : undefined);
  const to = flags.to ?? head?.to;
  const filter = flags.filter ?? head?.filter;
  return {
    from: from == null ? from : parseAsServer('--from', from, parseFrom),
    to: to == null ? undefined : parseAsServer('--to', to, parseTo),
    wanted: filter == null ? null : wantedBy(parseAsServer('--filter', filter, parseFilter)),
  };
}

function wantedBy(filter: ReturnType<typeof parseFilter>): NonNullable<ExportOptions['wanted']> {
  return (event, attestation_hash) => matches(filter, fieldsOf(event, attestation_hash));
}

function fieldsOf({ type, agent, cycle }: LedgerEvent, attestation_hash: string) {
  return { event_type: type, agent, cycle, attestation_hash };
}

/** With the parsers of the server, so that the same text means the same. */
function parseAsServer<T>(place: string, value: string, parse: (value: string) => T): T {
  try {
    return parse(value);
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    const expected = 'what the export accepts';
    throw new CathedralError('usage', { place, expected, found: cause.message, cause });
  }
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
