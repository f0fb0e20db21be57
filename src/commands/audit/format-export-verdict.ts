import { printable } from '../../../pipeline/attestation/printable.ts';
import type { Checkpoint } from '../../../pipeline/ledger/checkpoint.ts';
import type { Verifier } from '../../../pipeline/ledger/note.ts';
import type { HeldCheckpoint } from '../../../pipeline/verify/audit/audited-log.ts';
import type { ExportOptions, ExportVerdict } from '../../../pipeline/verify/audit/verify-export.ts';

interface About {
  file: string;
  checkpoint: Checkpoint;
  key: Pick<Verifier, 'name' | 'id'>;
  /** An earlier checkpoint that the log was held against, of so many events; null: none was given. */
  held: Pick<HeldCheckpoint, 'place'> | null;
  goesOnFrom: number | null;
  options: ExportOptions;
}

/** For people, nothing of the file unescaped: each fault with its line, then what was compared with what, then the verdict. */
export function formatExportVerdict(verdict: ExportVerdict, about: About): string[] {
  const { faults, rows, entries, period, logEndsAt, isAbandoned } = verdict;
  const { file, checkpoint, key, held, goesOnFrom, options } = about;
  const events = options.wanted ? 'events that the filter lets through' : 'events';
  const span = period ? ` from ${period.from} to ${period.to}` : '';
  return [
    ...faults.map(({ line, kind, message }) => printable(`${file}:${line}: ${kind}: ${message}`)),
    `Compared with the log ${checkpoint.origin}, ${checkpoint.size} events, root ${checkpoint.root}, signed by ${key.name}+${key.id}.`,
    ...(held ? [printable(`It goes on from the ${goesOnFrom} events of ${held.place}.`)] : []),
    ...(isAbandoned
      ? [`Given up after row ${rows}: this is no export of this log.`]
      : [`The log has ${entries} ${events}${span}; the file has ${rows} rows.`]),
    ...boundNotes(options),
    ...(logEndsAt
      ? [`This log ends at ${logEndsAt}, before the period does: of what came later it proves nothing.`]
      : []),
    faults.length === 0
      ? 'The export is whole: every row is in the log as it stands here, in its order, and none is missing.'
      : `The export is not what the log has: ${faults.length} faults.`,
  ];
}

/** What could not be looked for. */
function boundNotes({ from, to }: ExportOptions): string[] {
  const open = [...(from === undefined ? ['--from'] : []), ...(to === undefined ? ['--to'] : [])];
  if (open.length === 0) return [];
  return [
    `The file’s own rows were taken for the bounds of its period; say ${open.join(' and ')} to look beyond them, too.`,
  ];
}
